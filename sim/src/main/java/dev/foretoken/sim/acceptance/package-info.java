/**
 * Acceptance: the law of the tokens that one request commits in one round.
 *
 * <p>Tokens per round count the bonus or corrected token, so they lie in 1..D+1 for D drafted positions; the accept length is
 * their mean. Survival S_i is the probability that at least i drafts are accepted, so the accept length is 1 + sum S_i. What a
 * user can state is an {@link dev.foretoken.sim.acceptance.AcceptanceForm}; what is drafted is a
 * {@link dev.foretoken.sim.acceptance.Design}; {@link dev.foretoken.sim.acceptance.Laws} turns the two into an exact law or
 * refuses with the reason.
 */
package dev.foretoken.sim.acceptance;
