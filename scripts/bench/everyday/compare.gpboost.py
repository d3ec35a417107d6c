import gpboost
import numpy as np
import pandas

stations = pandas.read_csv("data/samples/texas-wind.csv")
temperature = stations["air_temperature_c"].to_numpy()
# There is no distance on the sphere: places as points in space, so that distances are chords.
longitude, latitude = np.radians(stations["longitude"]), np.radians(stations["latitude"])
places = 6371 * np.column_stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])
means = {"constant": [], "latitude": ["latitude"], "latitude + longitude": ["latitude", "longitude"]}
for name, columns in means.items():
    X = np.column_stack([np.ones(len(stations)), stations[columns]])
    model = gpboost.GPModel(gp_coords=places, cov_function="exponential", likelihood="gaussian")
    model.fit(y=temperature, X=X)
    # It has no leave-one-out for a field alone: a fit to all but one for each.
    error = []
    for one in range(len(stations)):
        rest = np.arange(len(stations)) != one
        part = gpboost.GPModel(gp_coords=places[rest], cov_function="exponential", likelihood="gaussian")
        part.fit(y=temperature[rest], X=X[rest])
        found = part.predict(gp_coords_pred=places[[one]], X_pred=X[[one]])
        error.append(temperature[one] - found["mu"][0])
    aic = 2 * model.get_current_neg_log_likelihood() + 2 * (3 + X.shape[1])
    print(f"{name:22} AIC {aic:.2f}  RMSE left out {np.sqrt(np.mean(np.square(error))):.4f}")
