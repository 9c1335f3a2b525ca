package org.posthouse.launch.provision;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.launch.install.ReadyLine;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.logstore.file.TemporaryFolder;
import org.posthouse.wire.Token;

/**
 * Agents of relays on this host, each of which counts as a host of its own. Their files are in a folder that is deleted
 * with them. Confined to the thread that starts it, except for the agents.
 */
public final class LocalAgents implements AutoCloseable {
    private final TemporaryFolder folder;
    private final List<AgentProcess> agents = new ArrayList<>();

    private LocalAgents(TemporaryFolder folder) {
        this.folder = folder;
    }

    /**
     * Starts them all, and waits until each has reached its relay.
     *
     * @param relays those of all sites; the agents of a site take its relays in turn
     * @param ofEachSite number of agents of each site, called SITE-1, SITE-2 and so on
     * @param slots of each agent
     */
    public static LocalAgents start(List<ReadyLine> relays, int ofEachSite, int slots, Token token) throws IOException, JobFailure {
        Map<String, List<String>> bySite = new LinkedHashMap<>();
        relays.forEach(relay -> bySite.computeIfAbsent(relay.site(), site -> new ArrayList<>()).add(relay.ranks()));
        return start(bySite, ofEachSite, slots, token);
    }

    /** The same. @param relays of each site, as host:port */
    public static LocalAgents start(Map<String, List<String>> relays, int ofEachSite, int slots, Token token) throws IOException, JobFailure {
        LocalAgents all = new LocalAgents(TemporaryFolder.make("posthouse-agents-"));
        try {
            for (Map.Entry<String, List<String>> site : relays.entrySet()) {
                for (int number = 0; number < ofEachSite; number++) {
                    String name = site.getKey() + "-" + (number + 1);
                    String relay = site.getValue().get(number % site.getValue().size());
                    all.agents.add(AgentProcess.start(relay, token, name, slots, all.folder.path().resolve(name)));
                }
            }
            for (AgentProcess agent : all.agents) {
                agent.awaitConnected();
            }
            return all;
        } catch (JobFailure | RuntimeException e) {
            all.close();
            throw e;
        }
    }

    /** All agents, site by site. */
    public List<AgentProcess> agents() {
        return List.copyOf(agents);
    }

    @Override
    public void close() throws IOException {
        agents.forEach(AgentProcess::close);
        folder.close();
    }
}
