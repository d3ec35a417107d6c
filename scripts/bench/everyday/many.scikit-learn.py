import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

x, y, z = np.loadtxt("data/samples/XYZ_10K_15_0168639_15_1.csv", delimiter=",", unpack=True)
X, test = np.column_stack([x, y]), np.arange(len(z)) % 10 == 9
# There is no approximation, and the smoothness is not estimated: every fifteenth place, smoothness known.
some = np.flatnonzero(~test)[::15]
kernel = ConstantKernel(1.0) * Matern(0.1, nu=1.5) + WhiteKernel(0.01, (1e-8, 1.0))
process = GaussianProcessRegressor(kernel).fit(X[some], z[some])
mean, std = process.predict(X[test], return_std=True)
print(process.kernel_, "MSE", np.mean((mean - z[test]) ** 2), "within 95 %", np.mean(np.abs(mean - z[test]) < 1.96 * std))
