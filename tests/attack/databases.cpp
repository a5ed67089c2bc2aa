#include "databases.hpp"

#include <algorithm>
#include <filesystem>

#include "core/text/posix_file.hpp"
#include "tests/unit/questions/interchange/imported_file.hpp"

namespace gable::attack {

namespace fs = std::filesystem;

std::vector<std::string> databases() {
  return {
      "CREATE TABLE StringIds(id INTEGER, value TEXT)\nINSERT INTO StringIds VALUES (1,'axpy(float *)'),(3,'forward')\n"
      "INSERT INTO StringIds VALUES (2,'dot(float *)')\nCREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT)\n"
      "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION','2024.5.1.113')\n"
      "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT)\nINSERT INTO TARGET_INFO_GPU VALUES (0,'A')\n"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, demangledName INT, gridX INT, gridY "
      "INT, gridZ INT, blockX INT, blockY INT, blockZ INT)\n"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,1100,0,1,8,1,1,64,1,1),(2000,5000,0,1,16,1,1,64,1,1)\n"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (6000,6500,0,2,8,1,1,64,1,1)\n"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT, bytes INT, copyKind INT)\n"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0,1000,4000,1)\n"
      "CREATE TABLE NVTX_EVENTS(start INT, end INT, text TEXT, textId INT)\n"
      "INSERT INTO NVTX_EVENTS VALUES (0,2000000,NULL,3),(0,1000000,'forward',NULL)\n",
      "CREATE TABLE rocpd_kernel_dispatch_1(id INT, start INT, end INT, agent_id INT, dispatch_id INT, pid INT, "
      "grid_size_x INT, grid_size_y INT, grid_size_z INT, kernel_id INT, event_id INT)\n"
      "INSERT INTO rocpd_kernel_dispatch_1 VALUES (1,100,1100,4,1,9,64,1,1,7,21),(2,2000,2500,4,2,9,64,2,1,7,22)\n"
      "CREATE TABLE rocpd_info_kernel_symbol_1(id INT, display_name TEXT, kernel_name TEXT)\n"
      "INSERT INTO rocpd_info_kernel_symbol_1 VALUES (7,'axpy(float*)','_Z4axpyPf.kd')\n"
      "CREATE TABLE rocpd_pmc_event_1(event_id INT, pmc_id INT, value REAL)\n"
      "INSERT INTO rocpd_pmc_event_1 VALUES (21,3,512),(21,3,512),(22,3,1024)\n"
      "CREATE TABLE rocpd_info_pmc_1(id INT, name TEXT)\nINSERT INTO rocpd_info_pmc_1 VALUES "
      "(3,'SQ_INSTS_VALU_FMA_F64')\n",
      "CREATE TABLE KERN(BeginNs INT, EndNs INT, DispatchNs INT, \"gpu-id\" INT, \"Index\" INT, pid INT, grd INT, "
      "KernelName TEXT, TCC_EA_RDREQ_sum INT)\n"
      "INSERT INTO KERN VALUES (100,1100,50,2,0,9,64,'\"axpy(float*)\"',7),(2000,2600,1900,2,1,9,64,'k',8)\n",
      "CREATE TABLE rocpd_op(id INT, gpuId INT, start INT, end INT, description_id INT)\n"
      "INSERT INTO rocpd_op VALUES (1,2,100,1100,2),(2,2,1200,9200,1)\nCREATE TABLE rocpd_string(id INT, string TEXT)\n"
      "INSERT INTO rocpd_string VALUES (1,''),(2,'axpy(float*)')\n",
      "CREATE TABLE KERN(x INT)\nCREATE TABLE OPS(BeginNs INT, EndNs INT, \"dev-id\" INT, pid INT, Name TEXT)\n"
      "INSERT INTO OPS VALUES (100,1100,0,7,'axpy(float*)'),(1200,9200,0,7,'CopyHostToDevice')\n",
      "CREATE TABLE StringTable(_id_ INTEGER, value TEXT)\nINSERT INTO StringTable VALUES (1,'axpy(float*)')\n"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(start INT, end INT, deviceId INT, name INT, gridX INT, gridY "
      "INT, gridZ INT, blockX INT, blockY INT, blockZ INT)\n"
      "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES (100,1100,0,1,8,1,1,64,1,1)\n"};
}

std::string database_of(const std::string& folder, const std::string& statements, Random& random) {
  const fs::path file = fs::path(folder) / "made.sqlite";
  fs::remove(file);
  {
    test::MadeDatabase made(file);
    made.run("PRAGMA synchronous=OFF");
    for (std::size_t at = 0, end = 0; at < statements.size(); at = end + 1) {
      end = std::min(statements.find('\n', at), statements.size());
      made.run(statements.substr(at, end - at));
    }
  }
  std::string bytes = fs::exists(file) ? read_text(file) : std::string{};
  if (below(random, 2) == 0) damage_database(bytes, random);
  return bytes;
}

}  // namespace gable::attack
