import pandas
import tegula

meuse = pandas.read_csv("target/peers/meuse.csv")
field = tegula.GaussianField("exponential", mean="sqrt(dist)", coords=("x", "y"))
print(field.fit(meuse, "log(zinc)").summary())
