import pandas
import tegula

stations = pandas.read_csv("data/samples/texas-wind.csv")
for mean in ("constant", "latitude", "latitude + longitude"):
    field = tegula.GaussianField("exponential", mean=mean).fit(stations, "air_temperature_c")
    print(f"{mean:22} AIC {field.aic_:.2f}  RMSE left out {field.assess()['loo']['rmse']:.4f}")
