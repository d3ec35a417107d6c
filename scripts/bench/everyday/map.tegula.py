import pandas
import tegula

meuse = pandas.read_csv("target/peers/meuse.csv")
field = tegula.GaussianField("exponential", coords=("x", "y")).fit(meuse, "log(zinc)")
field.plot("map").figure.savefig("out/map.tegula.png")
mean, std = field.predict(meuse[["x", "y"]] + 25, return_std=True)
print(mean[:3], std[:3])
