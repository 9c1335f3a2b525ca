package org.posthouse.launch.place;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.NodeLifetimes;
import org.posthouse.wire.NodesPage;

/**
 * Questions about agents that a launcher has asked a relay, and their answers. Thread-safe: any thread asks, the one that
 * reads the connection answers.
 */
final class AgentAnswers {
    private final PagedAnswers<AgentOffer> lists = new PagedAnswers<>();
    private final PagedAnswers<NodeLifetimes.Lifetime> lifetimes = new PagedAnswers<>();
    private final Map<Long, CompletableFuture<AgentOffer>> offers = new HashMap<>();

    /** The next list of agents that the relay sends. To be called before the question is sent. */
    CompletableFuture<List<AgentOffer>> list() {
        return lists.next();
    }

    /** The next list of lifetimes that the relay sends. To be called before the question is sent. */
    CompletableFuture<List<NodeLifetimes.Lifetime>> lifetimes() {
        return lifetimes.next();
    }

    /** The next offer of this agent. To be called before the question is sent. */
    synchronized CompletableFuture<AgentOffer> offer(long agent) {
        return offers.computeIfAbsent(agent, number -> new CompletableFuture<>());
    }

    void onPage(NodesPage page) {
        lists.onPage(page.offers(), page.left());
    }

    void onPage(NodeLifetimes page) {
        lifetimes.onPage(page.lifetimes(), page.left());
    }

    synchronized void onOffer(AgentOffer offer) {
        CompletableFuture<AgentOffer> answer = offers.remove(offer.agent());
        if (answer != null) {
            answer.complete(offer);
        }
    }

    synchronized void onGone(AgentGone gone) {
        CompletableFuture<AgentOffer> answer = offers.remove(gone.end());
        if (answer != null) {
            answer.completeExceptionally(new JobFailure(gone.why()));
        }
    }

    /** The connection has ended: nothing is answered any more. */
    synchronized void lost(JobFailure why) {
        lists.lost(why);
        lifetimes.lost(why);
        offers.values().forEach(answer -> answer.completeExceptionally(why));
        offers.clear();
    }
}
