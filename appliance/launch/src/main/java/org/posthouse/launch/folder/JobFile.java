package org.posthouse.launch.folder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RankStreams;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.DetectorRequest;
import org.posthouse.launch.place.JobNodes;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.SiteRestriction;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/**
 * Constants that another launcher needs to resume a job: {@code job.json} of its folder. They never change.
 *
 * @param spec the job's specification; its environment is the whole environment of its ranks
 * @param folder where its ranks are started, and relative paths begin
 * @param opening how it was opened at its relays
 * @param tokenFile where their launch token is; empty if they have none
 * @param nodes the nodes that its ranks run on; empty if they run beside their launcher
 */
public record JobFile(JobSpec spec, Path folder, JobOpen opening, Optional<Path> tokenFile, Optional<JobNodes> nodes) {
    private static final int VERSION = 1;

    private static final ObjectMapper JSON = new ObjectMapper();

    byte[] encode() throws IOException {
        ObjectNode file = JSON.createObjectNode()
                .put("version", VERSION)
                .put("job", HexFormat.of().toHexDigits(opening.job()))
                .put("token", opening.token().hex())
                .put("name", spec.name())
                .put("durability", opening.durability().code());
        tokenFile.ifPresent(path -> file.put("tokenFile", path.toString()));
        ArrayNode homes = file.putArray("homes");
        opening.homes().forEach(home -> homes.addObject().put("site", home.site()).put("relay", home.relay()).put("address", home.address()));
        ArrayNode homeOf = file.putArray("homeOf");
        for (int home : opening.homeOf()) {
            homeOf.add(home);
        }
        file.put("mainClass", spec.mainClass());
        put(file.putArray("arguments"), spec.arguments());
        put(file.putArray("classPath"), spec.classPath().stream().map(Path::toString).toList());
        put(file.putArray("jvmFlags"), spec.jvmFlags());
        file.putObject("patience")
                .put("maxRestarts", spec.patience().maxRestarts())
                .put("relayTimeoutMs", spec.patience().relayTimeoutMs())
                .put("silenceSeconds", spec.patience().silenceSeconds())
                .put("launcherSeconds", spec.patience().launcherSeconds());
        file.putObject("streams").put("input", spec.streams().input()).put("compareErr", spec.streams().compareErr())
                .put("showsTail", spec.streams().showsTail());
        file.put("folder", folder.toString());
        nodes.ifPresent(used -> put(file.putObject("nodes"), used));
        put(file.putObject("environment"), spec.environment());
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(file);
    }

    private static void put(ObjectNode object, JobNodes nodes) {
        NodeRequest request = nodes.request();
        object.put("key", nodes.key().hex())
                .put("strategy", request.strategy().name())
                .put("numbering", request.numbering().name())
                .put("workFolder", request.workFolder())
                .put("spares", request.spares())
                .put("nodeTimeoutMs", request.nodeTimeoutMs())
                .put("detector", request.detector().protocol().word())
                .put("detectorPeriodMs", request.detector().periodMs());
        ObjectNode sites = object.putObject("sites");
        request.sites().ranks().forEach(sites::put);
        put(object.putObject("labels"), request.labels());
        put(object.putObject("environment"), request.environment());
        put(object.putArray("files"), request.files().stream().map(file -> file.toAbsolutePath().toString()).toList());
        put(object.putArray("contents"), nodes.contents());
    }

    private static void put(ObjectNode object, Map<String, String> words) {
        words.forEach(object::put);
    }

    private static Optional<JobNodes> nodes(JsonNode file) {
        JsonNode nodes = file.path("nodes");
        if (nodes.isMissingNode()) {
            return Optional.empty();
        }
        Map<String, Integer> sites = new LinkedHashMap<>();
        nodes.required("sites").properties().forEach(site -> sites.put(site.getKey(), site.getValue().asInt()));
        NodeRequest request = new NodeRequest(
                NodeRequest.Use.ALWAYS, AllocationRequest.Strategy.valueOf(text(nodes, "strategy")),
                AllocationRequest.Numbering.valueOf(text(nodes, "numbering")), new SiteRestriction(sites), words(nodes, "labels"), text(nodes, "workFolder"),
                number(nodes, "spares"),
                words(nodes, "environment"), nodes.required("nodeTimeoutMs").asLong(),
                texts(nodes, "files").stream().map(Path::of).toList(), Optional.empty(), detector(nodes));
        return Optional.of(new JobNodes(request, Token.parse(text(nodes, "key")), texts(nodes, "contents")));
    }

    /** Files of before there were detectors have none. */
    private static DetectorRequest detector(JsonNode nodes) {
        return nodes.has("detector")
                ? new DetectorRequest(DetectorProtocol.of(text(nodes, "detector")), number(nodes, "detectorPeriodMs"))
                : DetectorRequest.NONE;
    }

    private static void put(ArrayNode array, List<String> words) {
        words.forEach(array::add);
    }

    /** @throws IOException if these are not the bytes of a job's file */
    static JobFile decode(byte[] bytes) throws IOException {
        JsonNode file = JSON.readTree(bytes);
        if (file.path("version").asInt() != VERSION) {
            throw new IOException("version " + file.path("version") + " of a job's file, expected " + VERSION);
        }
        try {
            return decode(file);
        } catch (IllegalArgumentException e) {
            throw new IOException("not a job's file: " + e.getMessage(), e);
        }
    }

    private static JobFile decode(JsonNode file) {
        List<HomeRelay> homes =
                elements(file, "homes").stream().map(home -> new HomeRelay(text(home, "site"), text(home, "relay"), text(home, "address"))).toList();
        int[] homeOf = elements(file, "homeOf").stream().mapToInt(JsonNode::intValue).toArray();
        JsonNode patience = file.required("patience");
        JobSpec spec = new JobSpec(
                text(file, "name"),
                homeOf.length,
                texts(file, "classPath").stream().map(Path::of).toList(),
                text(file, "mainClass"),
                texts(file, "arguments"),
                texts(file, "jvmFlags"),
                words(file, "environment"),
                Durability.of(number(file, "durability")),
                new RestartPolicy(
                        number(patience, "maxRestarts"), patience.required("relayTimeoutMs").asLong(), number(patience, "silenceSeconds"),
                        number(patience, "launcherSeconds")),
                streams(file),
                Replicas.NONE);
        JobOpen opening = new JobOpen(
                HexFormat.fromHexDigitsToLong(text(file, "job")), Token.parse(text(file, "token")), spec.durability(), false, spec.name(), homes, homeOf,
                spec.patience().launcherSeconds(), true);
        Optional<Path> tokenFile = Optional.ofNullable(file.get("tokenFile")).map(path -> Path.of(path.textValue()));
        return new JobFile(spec, Path.of(text(file, "folder")), opening, tokenFile, nodes(file));
    }

    /** A launcher of an earlier version had none. */
    private static RankStreams streams(JsonNode file) {
        JsonNode streams = file.path("streams");
        return streams.isMissingNode() ? RankStreams.DEFAULT : new RankStreams(
                number(streams, "input"), streams.required("compareErr").asBoolean(), streams.path("showsTail").asBoolean(true));
    }

    private static String text(JsonNode object, String name) {
        return object.required(name).asText();
    }

    private static int number(JsonNode object, String name) {
        return object.required(name).asInt();
    }

    private static List<JsonNode> elements(JsonNode object, String name) {
        return StreamSupport.stream(object.required(name).spliterator(), false).toList();
    }

    private static List<String> texts(JsonNode object, String name) {
        return elements(object, name).stream().map(JsonNode::asText).toList();
    }

    private static Map<String, String> words(JsonNode object, String name) {
        Map<String, String> words = new HashMap<>();
        object.required(name).properties().forEach(word -> words.put(word.getKey(), word.getValue().asText()));
        return words;
    }
}
