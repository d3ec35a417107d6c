import gpboost
import matplotlib.pyplot as plt
import numpy as np
import pandas

meuse = pandas.read_csv("target/peers/meuse.csv")
places = np.ascontiguousarray(meuse[["x", "y"]])
model = gpboost.GPModel(gp_coords=places, cov_function="exponential", likelihood="gaussian")
model.fit(y=np.log(meuse["zinc"]).to_numpy(), X=np.ones((len(meuse), 1)))
x, y = np.meshgrid(np.linspace(places[:, 0].min(), places[:, 0].max(), 100), np.linspace(places[:, 1].min(), places[:, 1].max(), 100))
grid = np.column_stack([x.ravel(), y.ravel()])
shown = model.predict(gp_coords_pred=grid, X_pred=np.ones((len(grid), 1)))
plt.pcolormesh(x, y, shown["mu"].reshape(x.shape))
plt.scatter(*places.T, s=8, facecolors="none", edgecolors="white")
plt.colorbar(label="log(zinc)")
plt.savefig("out/map.gpboost.png")
found = model.predict(gp_coords_pred=places + 25, X_pred=np.ones((len(places), 1)), predict_var=True, predict_response=False)
print(found["mu"][:3], np.sqrt(found["var"][:3]))
