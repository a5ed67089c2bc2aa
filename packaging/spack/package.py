"""Spack recipe of Gable: put this folder into a repository of your own (docs/packaging.md)."""

from spack.package import *


class Gable(CMakePackage, CudaPackage, ROCmPackage):
    """Portable multi-backend roofline toolkit: measures the ceilings of CPUs and GPUs and places operators under them."""

    license("Apache-2.0")

    # The sources are a working copy: `spack develop --path FOLDER gable@main`.
    version("main", branch="main", no_cache=True)

    variant("cpu", default=True, description="Worker for the processor (OpenMP); off: none, or the GPU's alone")
    variant("python", default=True, description="Python module")
    variant("plots", default=True, description="Pictures through gnuplot")

    conflicts("+cuda", when="+rocm", msg="one build has the worker of one vendor; install both into one view")
    conflicts("+cpu", when="+cuda", msg="one build has one worker: +cuda~cpu beside a build with +cpu")
    conflicts("+cpu", when="+rocm", msg="one build has one worker: +rocm~cpu beside a build with +cpu")
    conflicts("%gcc@:11", msg="C++20 as GCC 12 has it")
    for arch in CudaPackage.cuda_arch_values:
        if arch not in ("80", "90a", "100"):
            conflicts(f"cuda_arch={arch}", msg="kernels are written for 80, 90a and 100")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("git", type="build")
    depends_on("boost@1.74: +program_options+filesystem")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("valijson", type="build")
    depends_on("highway@1.0.3:", type="build", when="+cpu")
    depends_on("hwloc@2.3:", when="+cpu")
    depends_on("kokkos@4.6: +openmp ~cuda ~rocm", when="+cpu")
    depends_on("openblas threads=openmp", when="+cpu")
    depends_on("onednn", when="+cpu")
    depends_on("fftw@3 +openmp", when="+cpu")
    depends_on("gnuplot", type="run", when="+plots")
    depends_on("python@3.9:", when="+python")
    depends_on("py-pybind11@2.10:", type="build", when="+python")
    for arch in ("80", "90a", "100"):
        depends_on(f"kokkos@4.6: +cuda+wrapper cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for arch in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos@4.6: +rocm amdgpu_target={arch}", when=f"+rocm amdgpu_target={arch}")
    with when("+rocm"):
        depends_on("hipblaslt")
        depends_on("rocblas")
        depends_on("hipfft")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("GABLE_TESTS", self.run_tests),
            self.define("GABLE_WORKER", self.spec.satisfies("+cpu") or self.spec.satisfies("+cuda")
                        or self.spec.satisfies("+rocm")),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("GABLE_BACKEND", "cuda"))
            args.append(self.define("GABLE_CUDA_ARCH", self.spec.variants["cuda_arch"].value[0]))
        elif self.spec.satisfies("+rocm"):
            args.append(self.define("GABLE_BACKEND", "hip"))
            args.append(self.define("GABLE_HIP_ARCH", self.spec.variants["amdgpu_target"].value[0]))
        else:
            args.append(self.define("GABLE_BACKEND", "openmp"))
        return args

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            for folder in ("lib", "lib64"):
                env.prepend_path("PYTHONPATH", join_path(self.prefix, folder, "gable", "python"))

    def test_devices(self):
        """a result can be made: the processor is seen"""
        gable = which(self.prefix.bin.gable)
        out = gable("devices", output=str.split, error=str.split)
        if self.spec.satisfies("+cpu"):
            assert "openmp" in out
