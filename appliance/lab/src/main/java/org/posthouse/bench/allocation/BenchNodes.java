package org.posthouse.bench.allocation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.agent.Agent;
import org.posthouse.launch.agent.AgentSettings;
import org.posthouse.launch.reserve.SlotLimits;
import org.posthouse.relay.host.UserToken;

/** Agents in this process, each as a host of its own. Their ranks are processes. Confined to one thread. */
final class BenchNodes implements AutoCloseable {
    private static final int CONNECTED_SECONDS_MAX = 30;
    private static final long STAGE_BYTES = 1L << 30;

    private final List<Agent> agents = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    private BenchNodes() {}

    /**
     * Starts the agents and waits until all have reached their relays.
     *
     * @param relays the addresses of the sites' relays
     */
    static BenchNodes start(List<String> sites, List<String> relays, int nodes, int slots, Path folder) throws IOException, InterruptedException {
        BenchNodes started = new BenchNodes();
        CountDownLatch connected = new CountDownLatch(sites.size() * nodes);
        try {
            for (int site = 0; site < sites.size(); site++) {
                for (int node = 1; node <= nodes; node++) {
                    started.start(relays.get(site), sites.get(site) + "-" + node, slots, folder, connected);
                }
            }
            if (!connected.await(CONNECTED_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IOException(connected.getCount() + " of " + started.agents.size() + " agents have not reached their relays in "
                        + CONNECTED_SECONDS_MAX + " s");
            }
            return started;
        } catch (IOException | InterruptedException e) {
            started.close();
            throw e;
        }
    }

    private void start(String relay, String name, int slots, Path folder, CountDownLatch connected) throws IOException {
        AgentSettings settings = new AgentSettings(
                relay, UserToken.find(), Optional.empty(), name, name, new SlotLimits(1, slots, slots), Map.of(), Set.of(), folder.resolve(name), STAGE_BYTES);
        Agent agent = new Agent(settings, "bench", line -> {
            if (line.startsWith(Agent.CONNECTED)) {
                connected.countDown();
            }
        });
        agents.add(agent);
        threads.add(Thread.ofPlatform().daemon().name("posthouse-bench-agent-" + name).start(() -> run(agent, name)));
    }

    private static void run(Agent agent, String name) {
        try {
            agent.run();
        } catch (IOException e) {
            System.err.println("posthouse: node " + name + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the agents and all that they run. */
    @Override
    public void close() throws InterruptedException {
        agents.forEach(Agent::close);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
