import numpy as np
import pandas
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import LinearRegression

meuse = pandas.read_csv("target/peers/meuse.csv")
X, y = np.sqrt(meuse[["dist"]]), np.log(meuse["zinc"])
# It has no mean that depends on columns: the trend is fitted first, as if values were independent.
trend = LinearRegression().fit(X, y)
kernel = ConstantKernel(1.0) * Matern(500.0, (10.0, 1e5), nu=0.5) + WhiteKernel(0.1)
process = GaussianProcessRegressor(kernel).fit(meuse[["x", "y"]], y - trend.predict(X))
print(trend.intercept_, trend.coef_, process.kernel_, process.log_marginal_likelihood_value_)
