package org.posthouse.launch.remote;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;

/** A node with slots of the job. Guarded by the lock of its {@link AgentPool}. */
final class Node {
    private final int relay;
    private final String site;
    private int slots;
    private final Map<Long, NodeProcess> processes = new LinkedHashMap<>();
    private AgentOffer offer;

    /** Parts of the agent's report of its processes that have come. */
    private final List<AgentMessage.AttachedProcess> report = new ArrayList<>();

    /** Whether the agent answers, as far as is known. */
    private boolean isConnected = true;

    /** Since when it does not; good only if it is not connected. */
    private long goneNs;

    private String whyGone = "";
    private boolean isLost;

    /**
     * @param relay index of its relay among the job's homes
     * @param slots that the job has there
     */
    Node(int relay, String site, AgentOffer offer, int slots) {
        this.relay = relay;
        this.site = site;
        this.offer = offer;
        this.slots = slots;
    }

    /** Takes a part of the agent's report. @return whether it was the last */
    boolean reports(AgentMessage.Attached part) {
        report.addAll(part.processes());
        return !part.more();
    }

    /** The whole report. */
    List<AgentMessage.AttachedProcess> takeReport() {
        List<AgentMessage.AttachedProcess> whole = List.copyOf(report);
        report.clear();
        return whole;
    }

    /** Slots that the job has there. */
    int slots() {
        return slots;
    }

    void slots(int number) {
        slots = number;
    }

    /** Whether it may have more slots for the job. */
    boolean mayGrow() {
        return offer.slots() > slots;
    }

    int relay() {
        return relay;
    }

    long agent() {
        return offer.agent();
    }

    String name() {
        return offer.name();
    }

    String site() {
        return site;
    }

    String host() {
        return offer.host();
    }

    void offer(AgentOffer news) {
        offer = news;
    }

    private static long key(int rank, int incarnation) {
        return (long) rank << Integer.SIZE | incarnation;
    }

    NodeProcess process(int rank, int incarnation) {
        return processes.get(key(rank, incarnation));
    }

    Iterable<NodeProcess> processes() {
        return List.copyOf(processes.values());
    }

    void add(NodeProcess process) {
        processes.put(key(process.rank(), process.incarnation()), process);
    }

    void remove(NodeProcess process) {
        processes.remove(key(process.rank(), process.incarnation()));
    }

    /** Slots of the job that no process has. */
    int free() {
        return slots - processes.size();
    }

    boolean isConnected() {
        return isConnected;
    }

    /** Whether processes can be started there. */
    boolean isUsable() {
        return isConnected && !isLost;
    }

    void gone(String why, long nowNs) {
        if (isConnected) {
            isConnected = false;
            goneNs = nowNs;
            whyGone = why;
        }
    }

    /** Nothing is known of it while its relay is away, whose time is not its own. */
    void unheard() {
        isConnected = true;
    }

    void back() {
        isConnected = true;
    }

    boolean isGoneFor(long ns, long nowNs) {
        return !isConnected && !isLost && nowNs - goneNs >= ns;
    }

    String whyGone() {
        return whyGone;
    }

    /** It counts as dead: its processes were given up. */
    void lost() {
        isLost = true;
        processes.clear();
    }

    boolean isLost() {
        return isLost;
    }

    /** It was dead, and has come back: nothing of the job is there that counts. */
    void revived() {
        isLost = false;
    }

    /** The node in words for people. */
    @Override
    public String toString() {
        return "node " + offer.name() + " of site " + site;
    }
}
