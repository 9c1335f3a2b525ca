package org.posthouse.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.posthouse.launch.install.RelayProcess;

/**
 * The traffic that relays report, read from their consoles' API.
 *
 * @param matched messages matched to a receive, at all sites
 * @param linkFrames frames that crossed links, both ways
 * @param linkBytes their bytes
 */
record DemoTraffic(long matched, long linkFrames, long linkBytes) {
    static final DemoTraffic NONE = new DemoTraffic(0, 0, 0);

    private static final ObjectMapper JSON = new ObjectMapper();

    static DemoTraffic read(List<RelayProcess> processes) throws IOException {
        DemoTraffic sum = NONE;
        for (RelayProcess process : processes) {
            JsonNode answer = JSON.readTree(URI.create("http://" + process.ready().console() + "/api/v1/relays").toURL());
            for (JsonNode relay : answer.isArray() ? answer : answer.path("relays")) {
                sum = sum.plus(of(relay));
            }
        }
        return sum;
    }

    private static DemoTraffic of(JsonNode relay) {
        long frames = 0;
        long bytes = 0;
        for (JsonNode link : relay.path("links")) {
            frames += link.path("messagesOut").asLong();
            bytes += link.path("bytesOut").asLong();
        }
        return new DemoTraffic(relay.path("counters").path("matched").asLong(), frames, bytes);
    }

    DemoTraffic plus(DemoTraffic other) {
        return new DemoTraffic(matched + other.matched, linkFrames + other.linkFrames, linkBytes + other.linkBytes);
    }

    DemoTraffic since(DemoTraffic earlier) {
        return new DemoTraffic(matched - earlier.matched, linkFrames - earlier.linkFrames, linkBytes - earlier.linkBytes);
    }
}
