import numpy as np
import tegula

data = np.loadtxt("data/samples/digits.csv.gz", delimiter=",")
found = tegula.mds(data[:, :64], axes=5, metric="euclidean")
print(found.samples.iloc[:3].to_string(), found.proportion_explained.to_numpy())
