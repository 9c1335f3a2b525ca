package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.NodesPage;

/**
 * Questions about agents that a launcher has asked a relay, and their answers. Thread-safe: any thread asks, the one that
 * reads the connection answers.
 */
final class AgentAnswers {
    /** Pages of the list that is under way. */
    private final List<AgentOffer> listed = new ArrayList<>();

    /** In the order of the questions, which is that of the answers. */
    private final List<CompletableFuture<List<AgentOffer>>> lists = new ArrayList<>();

    private final Map<Long, CompletableFuture<AgentOffer>> offers = new HashMap<>();

    /** The next list that the relay sends. To be called before the question is sent. */
    synchronized CompletableFuture<List<AgentOffer>> list() {
        CompletableFuture<List<AgentOffer>> answer = new CompletableFuture<>();
        lists.add(answer);
        return answer;
    }

    /** The next offer of this agent. To be called before the question is sent. */
    synchronized CompletableFuture<AgentOffer> offer(long agent) {
        return offers.computeIfAbsent(agent, number -> new CompletableFuture<>());
    }

    synchronized void onPage(NodesPage page) {
        listed.addAll(page.offers());
        if (page.left() == 0 && !lists.isEmpty()) {
            lists.removeFirst().complete(List.copyOf(listed));
            listed.clear();
        }
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
        lists.forEach(answer -> answer.completeExceptionally(why));
        lists.clear();
        offers.values().forEach(answer -> answer.completeExceptionally(why));
        offers.clear();
    }
}
