/**
 * Draft trees: which token paths a drafter proposes for one verification pass.
 *
 * <p>A drafter gives, for each depth d = 1..D, its candidate tokens in falling order of probability (rank 0 is its first
 * choice). A tree is a set of rank paths closed under taking prefixes. Budgets count nodes without the root; the root is the
 * last committed token, so that a tree of budget B is verified with B + 1 rows. Every builder here is deterministic: larger
 * score first, then the lexicographically smaller rank path.
 */
package dev.foretoken.sim.tree;
