"""Spack recipe of Gable (Spack 1.0 and later), for a repository of your own (docs/spack.md)."""

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *

# Architectures that kernels are written for, and the Kokkos that knows them. Kokkos has no 90a: it is compiled for 90.
CUDA = {"80": "@4.6: cuda_arch=80", "90a": "@4.6: cuda_arch=90", "100": "@4.7: cuda_arch=100"}
ROCM = {arch: f"@{oldest}: amdgpu_target={arch}"
        for arch, oldest in (("gfx90a", "4.6"), ("gfx942", "4.6"), ("gfx950", "5.1"), ("gfx1100", "4.6"))}

# Levels of Spack that Gable has a target for. Kokkos takes any other one, a zen4 say, as options of its own, so that only `native` fits.
CPU_TARGETS = {
    "x86_64": "baseline",
    "x86_64_v2": "x86-64-v2",
    "x86_64_v3": "x86-64-v3",
    "x86_64_v4": "x86-64-v4",
    "aarch64": "baseline",
}


class Gable(CMakePackage, CudaPackage, ROCmPackage):
    """Portable multi-backend roofline toolkit: measures the ceilings of CPUs and GPUs and places operators under them."""

    license("Apache-2.0")

    # A working copy, by `spack develop` in an environment: there is no archive and no public repository to fetch.
    version("main")

    variant("cpu", default=True, description="Worker for the processor (OpenMP); off: none, or the GPU's alone")
    variant("python", default=True, description="Python module")
    variant("plots", default=True, description="Pictures through gnuplot")

    conflicts("+cuda", when="+rocm", msg="one build has the worker of one vendor; GABLE_WORKER_PATH joins several builds")
    conflicts("+cpu", when="+cuda", msg="one build has one worker: +cuda~cpu beside a build with +cpu")
    conflicts("+cpu", when="+rocm", msg="one build has one worker: +rocm~cpu beside a build with +cpu")
    conflicts("%gcc@:11", msg="C++20 as GCC 12 has it")
    conflicts("cuda_arch=none", when="+cuda", msg="which GPU: cuda_arch=80, 90a or 100")
    conflicts("amdgpu_target=none", when="+rocm", msg="which GPU: amdgpu_target=gfx90a, gfx942, gfx950 or gfx1100")
    for arch in CudaPackage.cuda_arch_values:
        if arch not in CUDA:
            conflicts(f"cuda_arch={arch}", when="+cuda", msg="kernels are written for 80, 90a and 100")
    for arch in ROCmPackage.amdgpu_targets:
        if arch not in ROCM:
            conflicts(f"amdgpu_target={arch}", when="+rocm", msg="kernels are written for gfx90a, gfx942, gfx950 and gfx1100")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("git", type="build")
    depends_on("boost@1.74: +program_options+filesystem")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("zlib-api")
    depends_on("valijson@1:", type="build")
    depends_on("highway@1.0.3:", type="build", when="+cpu")
    depends_on("highway@1.0.3:", type="test")
    depends_on("googletest", type="test")
    depends_on("hwloc@2.3:", when="+cpu")
    depends_on("kokkos@4.6: +openmp ~cuda ~rocm", when="+cpu")
    depends_on("openblas threads=openmp", when="+cpu")
    depends_on("onednn", when="+cpu")
    depends_on("fftw@3 +openmp", when="+cpu")
    depends_on("gnuplot", type="run", when="+plots")
    depends_on("python@3.9:", when="+python", type=("build", "link", "run"))
    depends_on("py-pybind11@2.10:", type="build", when="+python")
    depends_on("cuda@12:", when="+cuda")
    for arch, kokkos in CUDA.items():
        depends_on(f"kokkos{kokkos} +openmp+cuda+cmake_lang", when=f"+cuda cuda_arch={arch}")
    for arch, kokkos in ROCM.items():
        depends_on(f"kokkos{kokkos} +openmp+rocm+cmake_lang", when=f"+rocm amdgpu_target={arch}")
    with when("+rocm"):
        depends_on("hipblaslt")
        depends_on("rocblas")
        depends_on("hipfft")

    generator("ninja")

    def cmake_args(self):
        worker = any(self.spec.satisfies(variant) for variant in ("+cpu", "+cuda", "+rocm"))
        args = [self.define("GABLE_TESTS", self.run_tests), self.define("GABLE_WORKER", worker)]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("GABLE_BACKEND", "cuda"))
            args.append(self.define("GABLE_CUDA_ARCH", self.spec.variants["cuda_arch"].value[0]))
        elif self.spec.satisfies("+rocm"):
            args.append(self.define("GABLE_BACKEND", "hip"))
            args.append(self.define("GABLE_HIP_ARCH", self.spec.variants["amdgpu_target"].value[0]))
        else:
            args.append(self.define("GABLE_BACKEND", "openmp"))
            args.append(self.define("GABLE_CPU_TARGETS", CPU_TARGETS.get(self.spec.target.name, "native")))
        return args

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            for folder in ("lib", "lib64"):
                env.prepend_path("PYTHONPATH", join_path(self.prefix, folder, "gable", "python"))

    def test_devices(self):
        """a result can be made: the processor is seen"""
        gable = which(self.prefix.bin.gable, required=True)
        out = gable("devices", output=str.split, error=str.split)
        if self.spec.satisfies("+cpu"):
            assert "openmp" in out
