// One-shot all-reduce of bf16 between cards that can reach each other's memory. Push: every rank stores its vector into a
// slot of every peer, raises a flag there, waits for its own flags and adds up its slots. Pull: every rank copies its vector
// to its own buffer, raises flags, waits, and reads the peers' buffers. Two halves of the buffer alternate by call, so one
// flag per call and block is enough: a rank can be one call ahead of a peer, never two (it waits for that peer's flag).
// Block b handles vectors b * per .. ; blocks do not wait for each other. Flags grow by one per call: a counter per block in
// local memory numbers the calls, so the kernel can be replayed in a graph.
// A wait gives up after `spin_limit` polls and reports an error instead of hanging the card.
#pragma once
#if !defined(__CUDA_ARCH__)
#include <sched.h>
#endif

#include "simt.hpp"

namespace foretoken {

constexpr int kAllReduceMaxRanks = 8;
constexpr int kAllReduceWarps = 16;
constexpr std::size_t allreduce_flag_words(int blocks) {
    return static_cast<std::size_t>(blocks) * kAllReduceMaxRanks;
}

struct AllReducePeers {
    Vec16* buffer[kAllReduceMaxRanks];         // of each rank: [2][kAllReduceMaxRanks][vectors]
    std::uint32_t* flags[kAllReduceMaxRanks];  // of each rank: [blocks][kAllReduceMaxRanks]
};

struct AllReduceProblem {
    const Vec16* in;  // 8 bf16 each
    Vec16* out;
    AllReducePeers peers;
    std::uint32_t* counters;  // [blocks], local
    std::uint32_t* error;     // local: 1 when a wait gave up
    int rank;
    int ranks;
    int vectors;
    int blocks;
    unsigned long long spin_limit;
};

FT_HD void add_bf16(float (&sum)[8], const Vec16& v) {
    FT_UNROLL
    for (int i = 0; i < 4; ++i) {
        sum[2 * i] += to_float(Bf16{static_cast<std::uint16_t>(v.w[i] & 0xffffu)});
        sum[2 * i + 1] += to_float(Bf16{static_cast<std::uint16_t>(v.w[i] >> 16)});
    }
}

/** Raises this rank's flag of `block` at every peer and waits for theirs; call number `call` starts at 1. */
FT_HD void allreduce_meet(const AllReduceProblem& p, int block, std::uint32_t call) {
#if defined(__CUDA_ARCH__)
    __threadfence_system();
#endif
    FT_SYNC();
    FT_WARPS(w, kAllReduceWarps) {
        if (w == 0) {
            FT_LANES(l) {
                if (l < p.ranks) store_release(p.peers.flags[l] + block * kAllReduceMaxRanks + p.rank, call);
            }
            FT_LANES(l) {
                if (l < p.ranks) {
                    const std::uint32_t* flag = p.peers.flags[p.rank] + block * kAllReduceMaxRanks + l;
                    unsigned long long polls = 0;
                    // a peer may already be one call ahead: compare as a distance
                    while (static_cast<std::int32_t>(load_acquire(flag) - call) < 0) {
                        if (++polls > p.spin_limit) {
                            *p.error = 1;
                            break;
                        }
#if !defined(__CUDA_ARCH__)
                        sched_yield();
#endif
                    }
                }
            }
        }
    }
    FT_SYNC();
}

/** The number of this call, from 1; every warp of the block gets the same. */
FT_HD std::uint32_t allreduce_call_number(const AllReduceProblem& p, int block) {
    const std::uint32_t call = p.counters[block] + 1;
    FT_SYNC();
#if defined(__CUDA_ARCH__)
    if (threadIdx.x == 0) p.counters[block] = call;
#else
    p.counters[block] = call;
#endif
    return call;
}

FT_HD void allreduce_push(const AllReduceProblem& p, int block) {
    const int per = ceil_div(p.vectors, p.blocks);
    const int first = block * per;
    const int last = min_int(p.vectors, first + per);
    const std::uint32_t call = allreduce_call_number(p, block);
    const std::size_t half = static_cast<std::size_t>(call & 1u) * kAllReduceMaxRanks * p.vectors;
    FT_WARPS(w, kAllReduceWarps) {
        FT_LANES(l) {
            for (int i = first + 32 * w + l; i < last; i += 32 * kAllReduceWarps) {
                const Vec16 v = p.in[i];
                for (int r = 0; r < p.ranks; ++r) {
                    const int peer = (p.rank + r) % p.ranks;  // ranks start at different peers
                    p.peers.buffer[peer][half + static_cast<std::size_t>(p.rank) * p.vectors + i] = v;
                }
            }
        }
    }
    allreduce_meet(p, block, call);
    FT_WARPS(w, kAllReduceWarps) {
        FT_LANES(l) {
            for (int i = first + 32 * w + l; i < last; i += 32 * kAllReduceWarps) {
                float sum[8] = {};
                for (int r = 0; r < p.ranks; ++r)
                    add_bf16(sum, p.peers.buffer[p.rank][half + static_cast<std::size_t>(r) * p.vectors + i]);
                Vec16 v;
                FT_UNROLL
                for (int j = 0; j < 4; ++j) v.w[j] = pack_bf16(sum[2 * j], sum[2 * j + 1]);
                p.out[i] = v;
            }
        }
    }
}

FT_HD void allreduce_pull(const AllReduceProblem& p, int block) {
    const int per = ceil_div(p.vectors, p.blocks);
    const int first = block * per;
    const int last = min_int(p.vectors, first + per);
    const std::uint32_t call = allreduce_call_number(p, block);
    const std::size_t half = static_cast<std::size_t>(call & 1u) * kAllReduceMaxRanks * p.vectors;
    FT_WARPS(w, kAllReduceWarps) {
        FT_LANES(l) {
            for (int i = first + 32 * w + l; i < last; i += 32 * kAllReduceWarps)
                p.peers.buffer[p.rank][half + i] = p.in[i];
        }
    }
    allreduce_meet(p, block, call);
    FT_WARPS(w, kAllReduceWarps) {
        FT_LANES(l) {
            for (int i = first + 32 * w + l; i < last; i += 32 * kAllReduceWarps) {
                float sum[8] = {};
                for (int r = 0; r < p.ranks; ++r) add_bf16(sum, p.peers.buffer[r][half + i]);
                Vec16 v;
                FT_UNROLL
                for (int j = 0; j < 4; ++j) v.w[j] = pack_bf16(sum[2 * j], sum[2 * j + 1]);
                p.out[i] = v;
            }
        }
    }
}

}  // namespace foretoken
