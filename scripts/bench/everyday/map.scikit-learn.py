import matplotlib.pyplot as plt
import numpy as np
import pandas
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

meuse = pandas.read_csv("target/peers/meuse.csv")
places, values = meuse[["x", "y"]].to_numpy(), np.log(meuse["zinc"]).to_numpy()
kernel = ConstantKernel(1.0) * Matern(500.0, (10.0, 1e5), nu=0.5) + WhiteKernel(0.1)
process = GaussianProcessRegressor(kernel).fit(places, values - values.mean())
x, y = np.meshgrid(np.linspace(places[:, 0].min(), places[:, 0].max(), 100), np.linspace(places[:, 1].min(), places[:, 1].max(), 100))
shown = values.mean() + process.predict(np.column_stack([x.ravel(), y.ravel()]))
plt.pcolormesh(x, y, shown.reshape(x.shape))
plt.scatter(*places.T, s=8, facecolors="none", edgecolors="white")
plt.colorbar(label="log(zinc)")
plt.savefig("out/map.scikit-learn.png")
mean, std = process.predict(places + 25, return_std=True)
print(values.mean() + mean[:3], std[:3])
