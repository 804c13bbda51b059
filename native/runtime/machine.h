// The limits of the machine, the process and its control groups (containers): memory and CPUs.
#pragma once

#include <cstdint>

namespace suanzi {

// Bytes of memory that this process can ever have: physical memory and swap, or the control group's limit if lower.
int64_t machine_memory();

// Bytes of addresses that this process may map now (RLIMIT_AS).
int64_t address_space();

// Bytes that can be touched now without another process losing memory; machine_memory() where the system does not say.
int64_t available_memory();

// CPUs that this process may use: its affinity mask, or the control group's quota (rounded up) if lower; at least 1.
int cpu_count();

// The maker of the CPU, as far as measured choices depend on it (runtime/costs.h).
enum class Maker { amd, intel, other };
Maker cpu_maker();

// True if the CPU runs code for the levels x86-64-v3 (AVX2) and x86-64-v4 (AVX-512) of the System V ABI, and with these
// the instructions for products of bfloat16 numbers and of bytes.
bool runs_x86_64_v3();
bool runs_x86_64_v4();
bool runs_avx512_bf16();
bool runs_avx512_vnni();
bool runs_avx_vnni();
bool runs_neon_dot();

// True if the CPU runs AVX-512 and multiplies tiles (AMX), and the system lets this process use them. The system is
// asked for that; the permission holds for all threads and for processes that fork makes.
bool runs_avx512_amx();

// A spinning thread's pause between two looks, which leaves more of the core to its other thread.
void relax();

// Bytes of a huge page, which the system makes of memory that is mapped at a multiple of it: 2 MiB on x86, on Arm 2 or
// 32 MiB by its kernel. 2 MiB, too, where the system does not say, and where its huge pages are too large for blocks.
int64_t huge_page_bytes();

// Bytes of the last-level cache that this process's CPUs can have; a usual size where the system does not say.
int64_t cache_bytes();

}  // namespace suanzi
