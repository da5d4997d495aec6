/**
 * Kernel timings of one card under one engine, as curves.
 *
 * <p>A {@link dev.foretoken.sim.profile.Profile} holds {@link dev.foretoken.sim.profile.CurveFamily families}: the curves of
 * one operation, dtype and kernel, each with its own shape. A {@link dev.foretoken.sim.profile.Curve} is exact at its knots,
 * linear between neighbours, never across a marked stair, and linear above the last knot. Times are microseconds, axes are
 * counts (rows, KV tokens, sequences, tokens, elements).
 *
 * <p>Units are in the names; nothing here reads or writes files.
 */
package dev.foretoken.sim.profile;
