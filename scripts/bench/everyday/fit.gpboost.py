import gpboost
import numpy as np
import pandas

meuse = pandas.read_csv("target/peers/meuse.csv")
X = np.column_stack([np.ones(len(meuse)), np.sqrt(meuse["dist"])])
model = gpboost.GPModel(gp_coords=np.ascontiguousarray(meuse[["x", "y"]]), cov_function="exponential", likelihood="gaussian")
model.fit(y=np.log(meuse["zinc"]).to_numpy(), X=X)
model.summary()
