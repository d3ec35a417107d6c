import numpy as np
import tegula

x, y, z = np.loadtxt("data/samples/XYZ_10K_15_0168639_15_1.csv", delimiter=",", unpack=True)
X, test = np.column_stack([x, y]), np.arange(len(z)) % 10 == 9
field = tegula.GaussianField("matern", method="vecchia:30").fit(X[~test], z[~test])
mean, std = field.predict(X[test], return_std=True)
print(field.params_, "MSE", np.mean((mean - z[test]) ** 2), "within 95 %", np.mean(np.abs(mean - z[test]) < 1.96 * std))
