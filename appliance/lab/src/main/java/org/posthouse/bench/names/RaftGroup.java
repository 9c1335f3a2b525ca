package org.posthouse.bench.names;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.posthouse.names.NameService;
import org.posthouse.names.raft.PeerGuard;
import org.posthouse.names.raft.RaftConfig;
import org.posthouse.names.raft.RaftNames;
import org.posthouse.names.raft.RaftTiming;
import org.posthouse.wan.WanShape;

/** Three Raft judges near each other, and front ends far from them, each of one judge. */
final class RaftGroup implements NamesGroup {
    /** All are of this process. */
    private static final PeerGuard OPEN = new PeerGuard() {
        @Override
        public void accept(SocketChannel channel) {
            // Nobody is refused.
        }

        @Override
        public void dial(SocketChannel channel) {
            // Nobody is refused.
        }
    };

    private final List<RaftNames> judges = new ArrayList<>();
    private List<DelayedNames> frontEnds = List.of();

    private RaftGroup() {}

    static RaftGroup start(Path folder, WanShape way) throws IOException, InterruptedException {
        SortedMap<String, String> addresses = new TreeMap<>();
        List<String> endpoints = FreePorts.endpoints(FRONT_ENDS);
        for (int each = 0; each < FRONT_ENDS; each++) {
            addresses.put("judge-" + each, endpoints.get(each));
        }
        RaftGroup group = new RaftGroup();
        try {
            for (String judge : addresses.keySet()) {
                group.judges.add(RaftNames.open(new RaftConfig(judge, addresses, folder.resolve(judge), RaftTiming.WAN, OPEN)));
            }
            for (RaftNames each : group.judges) {
                NamesReady.await(each, FRONT_ENDS + " judges");
            }
            group.frontEnds = group.judges.stream().map(each -> new DelayedNames(each, way)).toList();
            return group;
        } catch (IOException | InterruptedException e) {
            group.close();
            throw e;
        }
    }

    @Override
    public String label() {
        return FRONT_ENDS + " judges, with synced logs";
    }

    @Override
    public NameService frontEnd(int index) {
        return frontEnds.get(index);
    }

    @Override
    public void close() {
        frontEnds.forEach(DelayedNames::close);
        judges.forEach(RaftNames::close);
    }
}
