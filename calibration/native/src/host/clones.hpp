// Hot loops are compiled for the instruction sets of x86-64-v3 and -v4 too; the loader picks one at start-up, so a binary
// built on one machine runs, and runs fast, on another.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define FT_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define FT_CLONES
#endif
