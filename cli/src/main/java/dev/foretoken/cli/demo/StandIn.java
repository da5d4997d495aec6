package dev.foretoken.cli.demo;

/**
 * An acceptance figure that stands for one that is not public.
 *
 * @param workload where it is used
 * @param methods for which methods
 * @param figure the figure
 * @param measuredOn what it was measured on
 * @param leaning optimistic, pessimistic, open or assumed
 * @param source where it was published
 */
record StandIn(String workload, String methods, String figure, String measuredOn, String leaning, String source) {}
