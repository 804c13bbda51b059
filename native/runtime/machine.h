// The limits of the machine, the process and its control groups (containers): memory and CPUs.
#pragma once

#include <cstdint>

namespace suanzi {

// Returns the bytes of memory that this process can ever have: physical memory and swap, or the control group's limit
// if that is lower.
int64_t machine_memory();

// Returns the bytes of addresses that this process may map now (RLIMIT_AS).
int64_t address_space();

// Returns the bytes that this process can touch now without another process losing memory, or machine_memory() if the
// system does not report them.
int64_t available_memory();

// Returns the number of CPUs that this process may use: the CPUs of its affinity mask, or the control group's quota
// (rounded up) if that is lower; at least 1.
int cpu_count();

// The maker of the CPU, as far as measured choices depend on the maker (runtime/costs.h).
enum class Maker { amd, intel, other };
Maker cpu_maker();

// True if the CPU runs code for the levels x86-64-v3 (AVX2) and x86-64-v4 (AVX-512) of the System V ABI, and in
// addition the instructions for products of bfloat16 numbers and of bytes.
bool runs_x86_64_v3();
bool runs_x86_64_v4();
bool runs_avx512_bf16();
bool runs_avx512_vnni();
bool runs_avx_vnni();
bool runs_neon_dot();
bool runs_neon_mmla();

// True if the CPU runs AVX-512 and multiplies tiles (AMX), and the system lets this process use tiles. The function
// asks the system for this permission, which holds for all threads and for forked processes.
bool runs_avx512_amx();

// Pauses a spinning thread between two reads, which leaves more of the core to the core's other thread.
void relax();

// Returns the bytes of a huge page, which the system makes from memory mapped at a multiple of that size: 2 MiB on x86,
// on Arm 2 or 32 MiB depending on the kernel. Also returns 2 MiB if the system does not report the size, or if its huge
// pages are too large for blocks.
int64_t huge_page_bytes();

// Returns the bytes of the last-level cache that this process's CPUs share, or a usual size if the system does not
// report it.
int64_t cache_bytes();

}  // namespace suanzi
