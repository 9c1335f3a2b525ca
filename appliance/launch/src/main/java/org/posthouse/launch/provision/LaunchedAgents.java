package org.posthouse.launch.provision;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.Candidate;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.wire.Token;

/**
 * Agents that were brought for one job, by one command a host ({@code --launch-agent}), by Slurm or by Kubernetes. They
 * have a label of their own, by which the job chooses them, and end when this is closed. Confined to the launching thread.
 */
public final class LaunchedAgents implements AutoCloseable {
    /** The label's name. */
    public static final String LABEL = "posthouse.launch";

    /** Behind a line about an agent in whose place the scheduler brings another. */
    static final String REPLACED = "; another comes in its place";

    private static final long ARRIVE_SECONDS = 60;
    private static final long LOOK_MS = 200;

    private final Provisioner provisioner;
    private final BlockingQueue<HostLost> lost = new LinkedBlockingQueue<>();
    private final CompletableFuture<String> allLost = new CompletableFuture<>();
    private final Map<String, String> label;
    private final Map<String, String> addressOfSite;

    private LaunchedAgents(Provisioner provisioner, Map<String, String> label, Map<String, String> addressOfSite) {
        this.provisioner = provisioner;
        this.label = label;
        this.addressOfSite = addressOfSite;
    }

    /**
     * Starts the agents and waits until each is at its relay.
     *
     * @param template such as {@code ssh {host}}
     * @param hosts the hosts; one without a site has its agent dial the first relay
     * @param program the command {@code posthouse}, at the same path on each host
     * @param relays host:port of the relays, at least one, as the hosts reach them
     * @param show takes lines that the commands print
     * @throws JobFailure in one line, if an agent does not come; none is left then
     */
    public static LaunchedAgents start(String template, List<HostSlots> hosts, Path program, List<String> relays, Token token, Consumer<String> show)
            throws JobFailure {
        Map<String, String> addressOfSite = sites(relays, token);
        String mark = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
        for (HostSlots host : hosts) {
            if (host.site().isPresent() && !addressOfSite.containsKey(host.site().get())) {
                throw new JobFailure("host " + host.host() + " is of site " + host.site().get() + ", and the relays know only of " + addressOfSite.keySet());
            }
        }
        Provisioner provisioner = CommandProvisioner.of(
                template, hosts, host -> command(program, host, host.site().map(addressOfSite::get).orElse(relays.getFirst()), mark), token, show);
        return start(new LaunchedAgents(provisioner, Map.of(LABEL, mark), addressOfSite), relays, token, show);
    }

    /**
     * Starts an agent on each node of a Slurm allocation, which dials the first relay, and waits until each is there.
     *
     * @param allocation is closed with the agents, and if they do not come
     * @param program the command {@code posthouse}, at the same path on each node
     */
    public static LaunchedAgents start(SlurmAllocation allocation, Path program, List<String> relays, Token token, Consumer<String> show) throws JobFailure {
        String mark = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
        List<String> command = List.of(
                program.toString(), "agent", "--relay", relays.getFirst(), "--token-stdin", "--slurm-slots", allocation.tasksPerNode(), "--label",
                LABEL + "=" + mark);
        Provisioner provisioner = SlurmProvisioner.of(allocation, command, token, "posthouse-" + mark, show);
        try {
            return start(new LaunchedAgents(provisioner, Map.of(LABEL, mark), sites(relays, token)), relays, token, show);
        } catch (JobFailure e) {
            provisioner.close();
            throw e;
        }
    }

    /**
     * Starts agents as the Pods of a Kubernetes Job, waits until all run, and until each is at its relay.
     *
     * @param kubectl the command {@code kubectl}, perhaps with options
     * @param manifest of the Job, whose agents dial the first relay if it names none
     * @param pods how many; 0 for as many as the manifest says
     */
    public static LaunchedAgents start(
            String kubectl, Path manifest, int pods, List<String> relays, Token token, Consumer<String> show) throws JobFailure {
        String mark = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
        Map<String, String> sites = sites(relays, token);
        Provisioner provisioner = KubernetesProvisioner.of(
                kubectl, manifest, pods, "posthouse-" + mark, relays.getFirst(), List.of("--label", LABEL + "=" + mark), show);
        return start(new LaunchedAgents(provisioner, Map.of(LABEL, mark), sites), relays, token, show);
    }

    private static LaunchedAgents start(LaunchedAgents agents, List<String> relays, Token token, Consumer<String> show) throws JobFailure {
        Provisioner provisioner = agents.provisioner;
        provisioner.listen(agents.lost::add);
        try {
            int hosts = provisioner.request(HostRequest.ALL).hosts().size();
            agents.awaitAll(hosts, relays, token);
            AtomicInteger left = new AtomicInteger(hosts);
            Set<String> shown = ConcurrentHashMap.newKeySet();
            provisioner.listen(gone -> {
                if (shown.add(gone.text())) {
                    show.accept(gone.text() + (gone.isReplaced() ? REPLACED : ""));
                }
                if (!gone.isReplaced() && left.decrementAndGet() == 0) {
                    agents.allLost.complete(gone.text());
                }
            });
            return agents;
        } catch (JobFailure e) {
            provisioner.lastLines().forEach(show);
            agents.close();
            throw e;
        }
    }

    private static List<String> command(Path program, HostSlots host, String relay, String mark) {
        List<String> command = new ArrayList<>(List.of(
                program.toString(), "agent", "--relay", relay, "--token-stdin", "--name", host.host(), "--label", LABEL + "=" + mark));
        host.slots().ifPresent(slots -> command.addAll(List.of("--slots", Integer.toString(slots))));
        return command;
    }

    /** The first relay of each site, as the named relays know them; those that are named come first. */
    private static Map<String, String> sites(List<String> relays, Token token) throws JobFailure {
        Map<String, String> addresses = new HashMap<>();
        List<Candidate> known = new ArrayList<>();
        for (String address : relays) {
            try (RelayClient line = RelayClient.connect(address, token)) {
                addresses.putIfAbsent(line.home().site(), address);
                known.addAll(line.known());
            }
        }
        known.forEach(relay -> addresses.putIfAbsent(relay.home().site(), relay.home().address()));
        return addresses;
    }

    private void awaitAll(int count, List<String> relays, Token token) throws JobFailure {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(ARRIVE_SECONDS);
        int there = 0;
        while (there < count) {
            there = 0;
            for (String address : addressOfSite.values()) {
                try (RelayClient line = RelayClient.connect(address, token)) {
                    there += (int) line.nodes().stream().filter(node -> node.labels().entrySet().containsAll(label.entrySet())).count();
                }
            }
            requireNoneLost();
            if (there < count && System.nanoTime() - deadlineNs > 0) {
                throw new JobFailure(there + " of " + count + " agents have reached their relays within " + ARRIVE_SECONDS
                        + " s; the others print why, cannot reach " + String.join(", ", relays) + ", or were told to dial another relay");
            }
        }
    }

    private void requireNoneLost() throws JobFailure {
        try {
            HostLost gone = lost.poll(LOOK_MS, TimeUnit.MILLISECONDS);
            if (gone != null) {
                throw new JobFailure(gone.text());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while waiting for agents", e);
        }
    }

    /** The label that these agents have and no others. */
    public Map<String, String> label() {
        return label;
    }

    /** @param then called from another thread when no host has an agent any more, with the reason */
    public void whenAllLost(Consumer<String> then) {
        allLost.thenAccept(then);
    }

    @Override
    public void close() {
        provisioner.close();
    }
}
