import gpboost
import numpy as np

x, y, z = np.loadtxt("data/samples/XYZ_10K_15_0168639_15_1.csv", delimiter=",", unpack=True)
X, test = np.column_stack([x, y]), np.arange(len(z)) % 10 == 9
model = gpboost.GPModel(
    gp_coords=X[~test], cov_function="matern_estimate_shape", likelihood="gaussian", gp_approx="vecchia", num_neighbors=30
)
model.fit(y=z[~test], X=np.ones((np.sum(~test), 1)))
found = model.predict(gp_coords_pred=X[test], X_pred=np.ones((np.sum(test), 1)), predict_var=True)
error = z[test] - found["mu"]
print(model.get_cov_pars(), "MSE", np.mean(error**2), "within 95 %", np.mean(np.abs(error) < 1.96 * np.sqrt(found["var"])))
