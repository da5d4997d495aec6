package dev.foretoken.validation.client;

/** Requests of a run by number: the same number gives the same request, whatever the order in which they are asked for. */
@FunctionalInterface
public interface RequestSource {
    /** The request of this number; called from several threads. */
    PlannedRequest request(long index, Phase phase);
}
