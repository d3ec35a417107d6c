import numpy as np
import pandas
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict

stations = pandas.read_csv("data/samples/texas-wind.csv")
temperature = stations["air_temperature_c"].to_numpy()
# There is no distance on the sphere: places as points in space, so that distances are chords.
longitude, latitude = np.radians(stations["longitude"]), np.radians(stations["latitude"])
places = 6371 * np.column_stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])
means = {"constant": [], "latitude": ["latitude"], "latitude + longitude": ["latitude", "longitude"]}
for name, columns in means.items():
    X = np.column_stack([np.ones(len(stations)), stations[columns]])
    trend = LinearRegression().fit(X, temperature).predict(X)
    kernel = ConstantKernel(1.0) * Matern(100.0, (1.0, 1e5), nu=0.5) + WhiteKernel(0.1)
    process = GaussianProcessRegressor(kernel).fit(places, temperature - trend)
    # Parameters stay as fitted to all, as in the others.
    left_out = cross_val_predict(process.set_params(kernel=process.kernel_, optimizer=None), places, temperature - trend, cv=LeaveOneOut())
    print(f"{name:22} RMSE left out {np.sqrt(np.mean((temperature - trend - left_out) ** 2)):.4f}")
