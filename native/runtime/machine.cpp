// Reads the limits of the machine. On Linux, the functions read sysinfo(2), sched_getaffinity(2), proc(5) and
// cgroups(7). On other systems, the functions call POSIX and C++ functions.
#include "runtime/machine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#include <sys/sysinfo.h>
#endif

namespace suanzi {
namespace {

constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

// Returns the folders in which `controller` may limit this process, beginning with the innermost folder. Every
// ancestor's limit applies (cgroups(7)). Version 2 has one hierarchy at the mount point. Version 1 has a hierarchy for
// each controller below the mount point.
std::vector<std::string> cgroup_folders(std::string_view controller) {
  std::vector<std::string> folders;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = std::string(",").append(line, first + 1, second - first - 1).append(",");
    std::string root = "/sys/fs/cgroup";
    if (controllers != ",,") {
      if (controllers.find(std::string(",").append(controller).append(",")) == std::string::npos) continue;
      root.append("/").append(controller);
    }
    std::string path = line.substr(second + 1);
    while (path.size() > 1) {
      folders.push_back(root + path);
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
    folders.push_back(root);
  }
  return folders;
}

// read_numbers returns up to two numbers from the start of a file. For "max" and for a missing file, the result is
// empty.
struct Numbers {
  std::optional<int64_t> first, second;
};
Numbers read_numbers(const std::string& path) {
  std::ifstream file(path);
  Numbers numbers;
  int64_t value = 0;
  if (file >> value) numbers.first = value;
  if (file >> value) numbers.second = value;
  return numbers;
}

int64_t cgroup_memory() {
  int64_t least = unlimited;
  for (const std::string& folder : cgroup_folders("memory")) {
    for (const char* name : {"/memory.max", "/memory.limit_in_bytes"}) {
      const auto limit = read_numbers(folder + name).first;
      if (limit && *limit > 0) least = std::min(least, *limit);
    }
  }
  return least;
}

int64_t cgroup_cpus() {
  int64_t least = unlimited;
  for (const std::string& folder : cgroup_folders("cpu")) {
    Numbers limit = read_numbers(folder + "/cpu.max");
    if (!limit.first) {
      limit = {read_numbers(folder + "/cpu.cfs_quota_us").first, read_numbers(folder + "/cpu.cfs_period_us").first};
    }
    // Version 1 of control groups writes -1 instead of a quota if the group has no quota.
    if (!limit.first || !limit.second || *limit.first <= 0 || *limit.second <= 0) continue;
    least = std::min(least, (*limit.first - 1) / *limit.second + 1);
  }
  return least;
}

int64_t affinity_cpus() {
#ifdef __linux__
  // Linux refuses a mask smaller than its own mask, so a very large machine needs a second call with a larger mask.
  for (const size_t masks : {1, 16}) {
    std::vector<cpu_set_t> mask(masks);
    if (sched_getaffinity(0, masks * sizeof(cpu_set_t), mask.data()) == 0) {
      return CPU_COUNT_S(masks * sizeof(cpu_set_t), mask.data());
    }
  }
#endif
  return std::thread::hardware_concurrency();
}

int64_t physical_memory() {
#ifdef __linux__
  struct sysinfo system{};
  if (sysinfo(&system) == 0) {
    return static_cast<int64_t>(system.totalram + system.totalswap) * static_cast<int64_t>(system.mem_unit);
  }
#endif
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages * page : unlimited;
}

}  // namespace

int64_t machine_memory() {
  static const int64_t bytes = std::min(physical_memory(), cgroup_memory());
  return bytes;
}

int64_t address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= static_cast<rlim_t>(unlimited)) return unlimited;
  return static_cast<int64_t>(limit.rlim_cur);
}

int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::optional<int64_t> kibibytes;
  std::string name, unit;
  for (int64_t value = 0; file >> name >> value;) {
    if (name == "MemAvailable:" || name == "SwapFree:") kibibytes = kibibytes.value_or(0) + value;
    std::getline(file, unit);
  }
  return kibibytes ? std::min(*kibibytes * 1024, machine_memory()) : machine_memory();
}

int64_t huge_page_bytes() {
  static const int64_t bytes = [] {
    constexpr int64_t usual = 2 << 20;
    // Linux kernels with pages of 64 KiB have huge pages of 512 MiB, and few blocks are large enough for such pages. To
    // align a block to such a page, the allocator would also map 512 MiB more than the block, which Linux counts as
    // committed memory.
    constexpr int64_t largest = 32 << 20;
    const int64_t told = read_numbers("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size").first.value_or(usual);
    return told > 0 && told % usual == 0 && told <= largest ? told : usual;
  }();
  return bytes;
}

int64_t cache_bytes() {
  // On some processors, the system's sysconf(_SC_LEVEL3_CACHE_SIZE) is the sum of the caches of all dies.
  static const int64_t bytes = [] {
    constexpr int64_t usual = 32 << 20;
    // The bound for each CPU exceeds the cache for each core of all known processors (at most 96 MiB for 8 cores). A
    // virtual machine of two CPUs may report the whole cache of its host. One virtual machine reported 480 MiB.
    constexpr int64_t most_of_a_cpu = 16 << 20;
    const auto kibibytes = read_numbers("/sys/devices/system/cpu/cpu0/cache/index3/size").first;
    const int64_t told = kibibytes && *kibibytes > 0 ? *kibibytes * 1024 : usual;
    return std::min(told, most_of_a_cpu * cpu_count());
  }();
  return bytes;
}

int cpu_count() { return static_cast<int>(std::max<int64_t>(1, std::min(affinity_cpus(), cgroup_cpus()))); }

}  // namespace suanzi
