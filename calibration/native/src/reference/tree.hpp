// Best-first draft tree from per-depth log-probabilities (Ringel and Romano, arXiv 2604.12989): pop the node with the largest
// summed log-probability, push its next sibling and its first child; ties go to the lexicographically smaller rank path.
#pragma once
#include <cstdint>
#include <queue>
#include <vector>

namespace foretoken {

struct TreeNode {
    int parent;  // index in the tree, -1 = root
    int depth;   // 1-based
    int rank;
    double log_prob;  // summed from the root
};

class TreeBuilder {
public:
    TreeBuilder(int depth, int top_k) : depth_(depth), top_k_(top_k) {}

    /** Nodes in insertion order; log_probs [depth][top_k], each row descending. */
    const std::vector<TreeNode>& build(const float* log_probs, int budget) {
        nodes_.clear();
        heap_ = {};
        if (budget > 0 && depth_ > 0) push(-1, 0, 0, log_probs, 0.0);
        while (static_cast<int>(nodes_.size()) < budget && !heap_.empty()) {
            const Entry e = heap_.top();
            heap_.pop();
            const int self = static_cast<int>(nodes_.size());
            const double above = e.parent < 0 ? 0.0 : nodes_[e.parent].log_prob;
            nodes_.push_back({e.parent, e.depth + 1, e.rank, e.weight});
            if (e.rank + 1 < top_k_) push(e.parent, e.depth, e.rank + 1, log_probs, above);
            if (e.depth + 1 < depth_) push(self, e.depth + 1, 0, log_probs, e.weight);
        }
        return nodes_;
    }

    /** Row i: bit j set when node j is i or an ancestor of i; `words` 64-bit words per row. */
    static std::vector<std::uint64_t> ancestor_mask(const std::vector<TreeNode>& nodes) {
        const std::size_t words = (nodes.size() + 63) / 64;
        std::vector<std::uint64_t> mask(nodes.size() * words, 0);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].parent >= 0)
                for (std::size_t w = 0; w < words; ++w) mask[i * words + w] = mask[nodes[i].parent * words + w];
            mask[i * words + i / 64] |= 1ULL << (i % 64);
        }
        return mask;
    }

private:
    struct Entry {
        double weight;
        int parent;
        int depth;
        int rank;
        const TreeBuilder* tree;

        // std::priority_queue pops the largest: `<` means "comes later"
        bool operator<(const Entry& o) const {
            if (weight != o.weight) return weight < o.weight;
            return tree->path_of(*this) > tree->path_of(o);
        }
    };

    std::vector<int> path_of(const Entry& e) const {
        std::vector<int> path;
        for (int n = e.parent; n >= 0; n = nodes_[n].parent) path.insert(path.begin(), nodes_[n].rank);
        path.push_back(e.rank);
        return path;
    }

    void push(int parent, int depth, int rank, const float* log_probs, double above) {
        heap_.push({above + log_probs[static_cast<std::size_t>(depth) * top_k_ + rank], parent, depth, rank, this});
    }

    int depth_;
    int top_k_;
    std::vector<TreeNode> nodes_;
    std::priority_queue<Entry> heap_;
};

}  // namespace foretoken
