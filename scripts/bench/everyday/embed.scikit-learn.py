import numpy as np
from sklearn.manifold import ClassicalMDS

data = np.loadtxt("data/samples/digits.csv.gz", delimiter=",")
found = ClassicalMDS(n_components=5).fit(data[:, :64])
print(found.embedding_[:3], found.eigenvalues_)
