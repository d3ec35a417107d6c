import numpy as np
from scipy.spatial.distance import pdist, squareform
from skbio import DistanceMatrix
from skbio.stats.ordination import pcoa

data = np.loadtxt("data/samples/digits.csv.gz", delimiter=",")
found = pcoa(DistanceMatrix(squareform(pdist(data[:, :64]))), dimensions=5)
print(found.samples.iloc[:3].to_string(), found.proportion_explained.to_numpy())
