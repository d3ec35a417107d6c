"""Tegula for Spack: the program and libtegula.so."""

from spack.package import *


class Tegula(Package):
    """Task runtime with tiled linear algebra, Gaussian random fields and ordination: fits spatial models, embeds
    matrices of distances larger than memory, on cores, devices and clusters. OpenBLAS, MPI and CUDA are found when it
    runs."""

    maintainers("tegula")
    license("Apache-2.0 OR MIT")

    version("develop")

    depends_on("c", type="build")
    depends_on("rust@1.95:", type="build")
    depends_on("openblas", type="run")
    depends_on("mpi", type="run")

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        cargo("build", "--release", "--locked", "-p", "tegula", "-p", "tegula-capi")
        mkdirp(prefix.bin, prefix.lib, prefix.include)
        install("target/release/tegula", prefix.bin)
        install("target/release/libtegula.so", prefix.lib)
        install("apps/capi/include/*.h", prefix.include)
        tegula = Executable(prefix.bin.tegula)
        mkdirp(prefix.share.man.man1)
        tegula("man", "-o", prefix.share.man.man1)

    def test_info(self):
        """The program says what it and the machine have."""
        Executable(self.prefix.bin.tegula)("info")
