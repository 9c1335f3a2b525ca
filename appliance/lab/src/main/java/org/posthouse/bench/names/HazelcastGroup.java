package org.posthouse.bench.names;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.posthouse.directory.GroupConfig;
import org.posthouse.directory.HazelcastDirectory;
import org.posthouse.names.NameService;
import org.posthouse.wan.WanShape;

/** Three members of a Hazelcast group near each other, and front ends far from them, each of one member. */
final class HazelcastGroup implements NamesGroup {
    private final List<HazelcastDirectory> members = new CopyOnWriteArrayList<>();
    private List<DelayedNames> frontEnds = List.of();

    private HazelcastGroup() {}

    static HazelcastGroup start(Path folder, WanShape way) throws IOException, InterruptedException {
        HazelcastGroup group = new HazelcastGroup();
        try {
            group.join(FreePorts.endpoints(FRONT_ENDS));
            for (HazelcastDirectory each : group.members) {
                NamesReady.await(each.names(), FRONT_ENDS + " Hazelcast members");
            }
            group.frontEnds = group.members.stream().map(each -> new DelayedNames(each.names(), way)).toList();
            return group;
        } catch (CompletionException e) {
            group.close();
            throw new IOException("the Hazelcast members have not started: " + e.getCause().getMessage(), e);
        } catch (IOException | InterruptedException e) {
            group.close();
            throw e;
        }
    }

    private void join(List<String> endpoints) {
        CompletableFuture.allOf(IntStream.range(0, endpoints.size())
                .mapToObj(each -> CompletableFuture.runAsync(() -> members.add(HazelcastDirectory.start(config(endpoints, each))),
                        task -> Thread.ofPlatform().name("bench-names-member-" + each).start(task)))
                .toArray(CompletableFuture[]::new)).join();
    }

    private static GroupConfig config(List<String> endpoints, int index) {
        String[] endpoint = endpoints.get(index).split(":");
        return new GroupConfig("bench-names", endpoint[0], Integer.parseInt(endpoint[1]), endpoints, "relay-" + index);
    }

    @Override
    public String label() {
        return FRONT_ENDS + " members";
    }

    @Override
    public NameService frontEnd(int index) {
        return frontEnds.get(index);
    }

    @Override
    public void close() {
        frontEnds.forEach(DelayedNames::close);
        members.forEach(HazelcastDirectory::close);
    }
}
