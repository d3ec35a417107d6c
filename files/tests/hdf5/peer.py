"""Files as h5py writes them, and a look at ours: `peer.py write FOLDER` or `peer.py read FILE ...`.

Entry (i, j) of every matrix is (7 i + 3 j) mod 120; a condensed one has 7 min + 3 max, and zeros on the diagonal.
"""

import sys

import h5py
import numpy as np

M, N = 73, 41
KINDS = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]
LAYOUTS = {
    "contiguous": {},
    "chunked": {"chunks": (16, 11)},
    "paged": {"chunks": (1, 2)},
    "one-chunk": {"chunks": (M, N), "compression": "gzip"},
    "gzip": {"chunks": (10, 32), "compression": "gzip"},
    "gzip-paged": {"chunks": (1, 2), "compression": "gzip"},
    "shuffled": {"chunks": (16, 11), "compression": "gzip", "shuffle": True},
    "summed": {"chunks": (16, 11), "compression": "gzip", "shuffle": True, "fletcher32": True},
    "lzf": {"chunks": (16, 16), "compression": "lzf", "shuffle": True},
    "growing": {"chunks": (16, 11), "compression": "gzip", "maxshape": (None, N)},
    "growing-columns": {"chunks": (16, 11), "maxshape": (100, None)},
    "growing-long": {"chunks": (1, 2), "maxshape": (None, 50)},
    "growing-both-plain": {"chunks": (16, 11), "maxshape": (None, None)},
    "bounded-paged": {"chunks": (1, 2), "maxshape": (80, 50)},
    "growing-both": {"chunks": (16, 11), "compression": "gzip", "maxshape": (None, None)},
    "bounded": {"chunks": (16, 11), "compression": "gzip", "maxshape": (200, 300)},
}


def matrix(kind, m=M, n=N):
    i, j = np.indices((m, n))
    return ((7 * i + 3 * j) % 120).astype(kind)


def condensed(kind, n):
    i, j = np.triu_indices(n, 1)
    return ((7 * i + 3 * j) % 120).astype(kind)


def write(folder):
    index = []

    def note(file, dataset, kind, shape, coverage="full"):
        index.append("\t".join([file, dataset, np.dtype(kind).name, str(shape[0]), str(shape[1]), coverage]))

    for libver in ["earliest", "v108", "latest"]:
        for order in "<>":
            for name, layout in LAYOUTS.items():
                file = f"{libver}-{'le' if order == '<' else 'be'}-{name}.h5"
                with h5py.File(f"{folder}/{file}", "w", libver=(libver, "latest")) as f:
                    for kind in KINDS:
                        dataset = f"{kind[0]}/of_{kind}"
                        f.create_dataset(dataset, data=matrix(order + kind), **layout)
                        note(file, dataset, kind, (M, N))
        file = f"{libver}-others.h5"
        with h5py.File(f"{folder}/{file}", "w", libver=(libver, "latest"), userblock_size=1024) as f:
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_layout(h5py.h5d.COMPACT)
            space = h5py.h5s.create_simple((9, 5))
            low = h5py.h5d.create(f.id, b"compact", h5py.h5t.IEEE_F64BE, space, dcpl=creation)
            h5py.Dataset(low)[...] = matrix("f8", 9, 5)
            note(file, "compact", "f8", (9, 5))
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_chunk((4, 3))
            creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            low = h5py.h5d.create(f.id, b"early", h5py.h5t.IEEE_F64BE, space, dcpl=creation)
            h5py.Dataset(low)[...] = matrix("f8", 9, 5)
            note(file, "early", "f8", (9, 5))
            f.create_dataset("one/two/three", data=matrix("f4"), **LAYOUTS["shuffled"])
            note(file, "one/two/three", "f4", (M, N))
            f["soft"] = h5py.SoftLink("/one/two/three")
            note(file, "soft", "f4", (M, N))
            for number in range(100):
                f.create_dataset(f"many/of{number}", data=matrix("i2", 3, number + 1), chunks=(2, 1))
            note(file, "many/of77", "i2", (3, 78))
            f.create_dataset("scaled", data=matrix("i4"), chunks=(16, 11), scaleoffset=0)
            note(file, "scaled", "i4", (M, N))
            # What is never written is the fill value.
            part = f.create_dataset("part", (60, 33), ">i4", chunks=(8, 8), fillvalue=77, compression="gzip")
            part[0:16, 0:16] = matrix("i4", 16, 16)
            note(file, "part", "i4", (60, 33), "part")
            f.create_dataset("never", (6, 3), "f4", fillvalue=77)
            note(file, "never", "f4", (6, 3), "never")
            for name, layout in {"": {}, "-gzip": {"chunks": (100,), "compression": "gzip", "shuffle": True}}.items():
                f.create_dataset(f"condensed{name}", data=condensed(">f4", 57), **layout)
                note(file, f"condensed{name}", "f4", (57, 57), "triangle")
    names(folder)
    refused(folder)
    with open(f"{folder}/index", "w") as out:
        out.write("\n".join(index) + "\n")


def names(folder):
    words = ["Ab", "Çédille", "日本", "x y", ""]
    as_bytes = np.array([word.encode() for word in words])
    cases = {
        "fixed": dict(rownames=as_bytes, colnames=as_bytes),
        "variable": dict(row_names=words, col_names=words),
        "both": dict(ids=as_bytes),
        "numbers": dict(labels=np.array([5, 6, 7, 8, -9])),
        "short": dict(rownames=as_bytes[:4]),
        "latin": dict(rownames=np.array([word.encode("latin-1", "replace") for word in words])),
    }
    for name, sets in cases.items():
        with h5py.File(f"{folder}/names-{name}.h5", "w") as f:
            f["group/matrix"] = matrix("f4", 5, 5)
            for title, values in sets.items():
                f[f"group/{title}"] = values
            f["rownames"] = as_bytes[:2]


def user_filter():
    """A filter that nobody has, which need not be there to write a chunk as it is."""
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((2, 2))
    creation.set_filter(32026, h5py.h5z.FLAG_OPTIONAL)
    return creation


def refused(folder):
    with h5py.File(f"{folder}/refused.h5", "w") as f:
        f["complex"] = np.zeros((2, 2), "c16")
        f["text"] = np.array([[b"a"]])
        f["bool"] = np.zeros((2, 2), bool)
        f["cube"] = np.zeros((2, 2, 2))
        f["four"] = np.zeros(4)
        f["record"] = np.zeros((2, 2), [("weight", "f4"), ("age", "i4")])
        f["long"] = np.zeros((2, 2), np.longdouble)
        space = h5py.h5s.create_simple((2, 2))
        stored = h5py.Dataset(h5py.h5d.create(f.id, b"unknown", h5py.h5t.IEEE_F32LE, space, dcpl=user_filter()))
        stored.id.write_direct_chunk((0, 0), bytes(16))
        f["link"] = h5py.ExternalLink("other.h5", "values")
        layout = h5py.VirtualLayout((2, 2), "f8")
        layout[:, :] = h5py.VirtualSource("other.h5", "values", (2, 2))
        f.create_virtual_dataset("virtual", layout)
    with h5py.File(f"{folder}/several.h5", "w") as f:
        f["a"] = matrix("f4", 3, 3)
        f["deep/b"] = matrix("f4", 4, 3)
        f["c"] = condensed("f4", 5)
    with h5py.File(f"{folder}/usual.h5", "w") as f:
        f["a"], f["matrix"], f["distance"] = matrix("f4", 3, 3), matrix("f4", 4, 3), matrix("f4", 5, 3)
        f["values"] = np.array([b"text"])
    with h5py.File(f"{folder}/only.h5", "w") as f:
        f["deep/only"], f["ids"], f["six"] = matrix("f4", 3, 3), np.arange(3), condensed("f4", 4)


def read(files):
    for file in files:
        kind, m, n, chunk, compression = file.rsplit("/", 1)[-1].removesuffix(".h5").split("-")
        with h5py.File(file) as f:
            values = f["values"]
            assert values.dtype == np.dtype(kind) and np.array_equal(values[()], matrix(kind, int(m), int(n))), file
            assert (values.chunks[0] if values.chunks else 0) == int(chunk), (file, values.chunks)
            assert (values.compression or "none") == compression and bool(values.shuffle) == (compression == "gzip"), file
            rows = [name.decode() for name in f["rownames"][()]]
            columns = [name.decode() for name in f["colnames"][()]]
            assert f["rownames"].dtype.kind == "S", f["rownames"].dtype
            assert rows == [f"r{i}" for i in range(int(m))], rows
            assert columns == [f"ç{j}" for j in range(int(n))], columns


if __name__ == "__main__":
    write(sys.argv[2]) if sys.argv[1] == "write" else read(sys.argv[2:])
