package org.posthouse.launch.provision;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.posthouse.launch.job.JobFailure;

/**
 * A manifest of an Indexed Job whose Pods run agents, such as {@code ops/kubernetes/agents.yaml}. kubectl reads the file
 * and fills in the namespace.
 */
final class AgentsManifest {
    /** A Job that has ended goes so soon, with its Pods, unless its manifest says otherwise. */
    private static final int TTL_SECONDS = 60;

    private static final int PODS_MAX = 100_000;

    private final Path file;
    private final ObjectNode job;

    private AgentsManifest(Path file, ObjectNode job) {
        this.file = file;
        this.job = job;
    }

    /** @throws JobFailure in one line, if the file is not a manifest of one Indexed Job with arguments for its container */
    static AgentsManifest read(Kubectl kubectl, Path file) throws JobFailure {
        if (!Files.isRegularFile(file)) {
            throw new JobFailure("--kubernetes " + file + (Files.isDirectory(file) ? " is a folder: name one file" : " does not exist"));
        }
        JsonNode read;
        try {
            read = kubectl.json("create", "--dry-run=client", "--validate=false", "-o", "json", "-f", file.toString());
        } catch (JobFailure e) {
            throw new JobFailure("--kubernetes " + file + ", expected the manifest of one Job: " + e.getMessage(), e);
        }
        AgentsManifest manifest = new AgentsManifest(file, read instanceof ObjectNode object ? object : null);
        if (manifest.job == null || !read.path("kind").asText().equals("Job")) {
            throw manifest.fault("the manifest of one Job", read.path("kind").asText("something else"));
        }
        if (!read.path("spec").path("completionMode").asText().equals("Indexed")) {
            throw manifest.fault("completionMode: Indexed", read.path("spec").path("completionMode").asText("none"));
        }
        JsonNode container = read.path("spec").path("template").path("spec").path("containers").path(0);
        if (!(container.path("args") instanceof ArrayNode)) {
            throw manifest.fault("a container with args, whose first is \"agent\"", "none");
        }
        return manifest;
    }

    private JobFailure fault(String expected, String found) {
        return new JobFailure("--kubernetes " + file + ": expected " + expected + ", found " + AgentOutput.printable(found.isEmpty() ? "none" : found));
    }

    /** Where its Pods are. */
    String namespace() {
        return job.path("metadata").path("namespace").asText("default");
    }

    /** How long the Job may run by itself, in seconds; empty if for ever. */
    OptionalInt deadlineSeconds() {
        JsonNode deadline = job.path("spec").path("activeDeadlineSeconds");
        return deadline.isInt() ? OptionalInt.of(deadline.asInt()) : OptionalInt.empty();
    }

    /**
     * Gives the Job a name of its own.
     *
     * @param pods how many; 0 for as many as the file says
     * @param relay the agents' relay, if the file names none
     * @param words arguments of the agents behind those of the file
     * @return the Job, to be created
     */
    ObjectNode job(String name, int pods, String relay, List<String> words) throws JobFailure {
        if (pods < 0 || pods > PODS_MAX) {
            throw new JobFailure("--pods " + pods + ", expected 1 to " + PODS_MAX);
        }
        ObjectNode made = job.deepCopy();
        ((ObjectNode) made.get("metadata")).put("name", name);
        ObjectNode spec = (ObjectNode) made.get("spec");
        if (pods > 0) {
            spec.put("completions", pods).put("parallelism", pods);
            if (spec.has("maxFailedIndexes")) {
                spec.put("maxFailedIndexes", pods);
            }
        }
        if (!spec.has("ttlSecondsAfterFinished")) {
            spec.put("ttlSecondsAfterFinished", TTL_SECONDS);
        }
        ArrayNode args = (ArrayNode) spec.path("template").path("spec").path("containers").path(0).path("args");
        boolean hasRelay = false;
        for (JsonNode word : args) {
            hasRelay |= word.asText().equals("--relay") || word.asText().startsWith("--relay=");
        }
        if (!hasRelay) {
            args.add("--relay").add(relay);
        }
        words.forEach(args::add);
        return made;
    }
}
