// The limits of the memory and the CPUs of the machine, the process and its control groups (containers).
#pragma once

#include <cstdint>

namespace suanzi {

// Returns the bytes of memory that this process can ever have. These bytes are physical memory and swap, or the control
// group's limit if this limit is lower.
int64_t machine_memory();

// Returns the bytes of addresses that this process may map now (RLIMIT_AS).
int64_t address_space();

// Returns the bytes that this process can touch now without taking memory from another process. If the system does not
// report this number, the function returns machine_memory().
int64_t available_memory();

// Returns the number of CPUs that this process may use. The number, at least 1, is the number of CPUs in the affinity
// mask, or the control group's quota (rounded up) if the quota is lower.
int cpu_count();

// The maker of the CPU, as far as measured choices depend on the maker (runtime/costs.h).
enum class Maker { amd, intel, other };
Maker cpu_maker();

// Each function returns true if the CPU runs code for a level or has instructions for products. The levels are
// x86-64-v3 (AVX2) and x86-64-v4 (AVX-512) of the System V ABI. The products are of bfloat16 numbers or of bytes.
bool runs_x86_64_v3();
bool runs_x86_64_v4();
bool runs_avx512_bf16();
bool runs_avx512_vnni();
bool runs_avx_vnni();
bool runs_neon_dot();
bool runs_neon_mmla();

// Returns true if the CPU runs AVX-512 and multiplies tiles (AMX), and the system permits tiles in this process. The
// function requests this permission from the system. The permission is valid for all threads and for forked processes.
bool runs_avx512_amx();

// Pauses a spinning thread between two reads. The pause leaves more of the core to the core's other thread.
void relax();

// Returns the bytes of a huge page. The system makes huge pages from memory that is mapped at a multiple of this size.
// The size is 2 MiB on x86, and 2 or 32 MiB on Arm, depending on the kernel. The function also returns 2 MiB if the
// system does not report the size, or if the system's huge pages are too large for blocks.
int64_t huge_page_bytes();

// Returns the bytes of the last-level cache that this process's CPUs share, or 32 MiB if the system does not report
// this size. The result is at most 16 MiB for each CPU of the process.
int64_t cache_bytes();

}  // namespace suanzi
