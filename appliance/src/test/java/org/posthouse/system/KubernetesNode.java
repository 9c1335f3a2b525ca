package org.posthouse.system;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * What controllers, scheduler and nodes of a Kubernetes do with Jobs of agents, for tests: makes a Pod for each index,
 * binds it to one of three nodes of its own, copies its Secret, runs its containers as processes of this host, and ends
 * them when the Job is deleted or past its deadline. One thread looks every 100 ms.
 */
final class KubernetesNode implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NAMESPACE = "jobs";
    private static final String JOBS = "/apis/batch/v1/namespaces/" + NAMESPACE + "/jobs";
    private static final String PODS = "/api/v1/namespaces/" + NAMESPACE + "/pods";
    private static final String SECRETS = "/api/v1/namespaces/" + NAMESPACE + "/secrets";
    private static final List<String> NODES = List.of("n1", "n2", "n3");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\(([A-Z_]+)\\)");
    private static final long LOOK_MS = 100;

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String url;
    private final Path folder;
    private final Path program;
    private final Map<String, Pod> pods = new HashMap<>();
    private final Map<String, Instant> started = new HashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private final Thread thread = Thread.ofPlatform().daemon().name("test-kubernetes").unstarted(this::work);
    private int number;

    private KubernetesNode(String url, Path folder, Path program) {
        this.url = url;
        this.folder = folder;
        this.program = program;
    }

    static KubernetesNode start(String url, Path folder, Path program) {
        KubernetesNode made = new KubernetesNode(url, folder, program);
        made.thread.start();
        return made;
    }

    /** A Pod that has a node, and what runs of it. */
    private static final class Pod {
        private final ObjectNode object;
        private final String job;
        private final int index;
        private Process process;

        Pod(ObjectNode object, String job, int index) {
            this.object = object;
            this.job = job;
            this.index = index;
        }

        String name() {
            return object.path("metadata").path("name").asText();
        }

        String phase() {
            return object.path("status").path("phase").asText();
        }

        boolean isOver() {
            return phase().equals("Failed") || phase().equals("Succeeded");
        }
    }

    private JsonNode ask(String method, String path, JsonNode body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).header("Content-Type", "application/json");
        request.method(method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body.toString()));
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() >= 300 || answer.body().isEmpty() ? JSON.missingNode() : JSON.readTree(answer.body());
    }

    void replaceSecret(ObjectNode secret) throws IOException, InterruptedException {
        ask("DELETE", SECRETS + "/posthouse-token", null);
        ask("POST", SECRETS, secret);
    }

    List<String> objects() throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        for (String path : List.of(JOBS, PODS)) {
            ask("GET", path, null).path("items").forEach(item -> names.add(item.path("kind").asText() + " " + item.path("metadata").path("name").asText()));
        }
        return names;
    }

    int deadlineSeconds() throws IOException, InterruptedException {
        return ask("GET", JOBS, null).path("items").path(0).path("spec").path("activeDeadlineSeconds").asInt();
    }

    private void work() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Set<String> jobs = new HashSet<>();
                for (JsonNode job : ask("GET", JOBS, null).path("items")) {
                    jobs.add(job.path("metadata").path("name").asText());
                    control((ObjectNode) job);
                }
                for (Pod pod : List.copyOf(pods.values())) {
                    if (!jobs.contains(pod.job)) {
                        delete(pod);
                    } else {
                        look(pod);
                    }
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As the Job's controller does. */
    private void control(ObjectNode job) throws IOException, InterruptedException {
        String name = job.path("metadata").path("name").asText();
        JsonNode spec = job.path("spec");
        Instant since = started.computeIfAbsent(name, it -> Instant.now());
        if (job.path("status").has("conditions")) {
            Instant ended = Instant.parse(job.path("status").path("conditions").path(0).path("lastTransitionTime").asText());
            if (Instant.now().isAfter(ended.plusSeconds(spec.path("ttlSecondsAfterFinished").asInt(Integer.MAX_VALUE)))) {
                ask("DELETE", JOBS + "/" + name, null);
            }
            return;
        }
        List<Pod> own = pods.values().stream().filter(pod -> pod.job.equals(name)).toList();
        if (spec.has("activeDeadlineSeconds") && Instant.now().isAfter(since.plusSeconds(spec.path("activeDeadlineSeconds").asLong()))) {
            for (Pod pod : own) {
                delete(pod);
            }
            finish(job, "Failed", "DeadlineExceeded", "Job was active longer than specified deadline");
            return;
        }
        int completions = spec.path("completions").asInt();
        int done = 0;
        int given = 0;
        for (int i = 0; i < completions; i++) {
            int index = i;
            List<Pod> ofIndex = own.stream().filter(pod -> pod.index == index).toList();
            if (ofIndex.stream().anyMatch(pod -> pod.phase().equals("Succeeded"))) {
                done++;
            } else if (failures.getOrDefault(name + "/" + index, 0) > spec.path("backoffLimitPerIndex").asInt()) {
                given++;
            } else if (ofIndex.stream().allMatch(Pod::isOver)) {
                create(job, index);
            }
        }
        if (done + given == completions) {
            finish(job, given == 0 ? "Complete" : "Failed", given == 0 ? "CompletionsReached" : "FailedIndexes", "Job has ended");
        }
    }

    private void finish(ObjectNode job, String type, String reason, String message) throws IOException, InterruptedException {
        job.putObject("status").putArray("conditions").addObject().put("type", type).put("status", "True").put("reason", reason).put("message", message)
                .put("lastTransitionTime", Instant.now().toString());
        ask("PUT", JOBS + "/" + job.path("metadata").path("name").asText(), job);
    }

    private void create(ObjectNode job, int index) throws IOException, InterruptedException {
        String name = job.path("metadata").path("name").asText();
        ObjectNode object = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = object.putObject("metadata").put("name", name + "-" + index + "-" + ++number);
        ObjectNode labels = metadata.putObject("labels");
        labels.setAll((ObjectNode) job.path("spec").path("template").path("metadata").path("labels"));
        labels.put("job-name", name).put("batch.kubernetes.io/job-name", name);
        object.set("spec", job.path("spec").path("template").path("spec").deepCopy());
        object.putObject("status").put("phase", "Pending");
        ask("POST", PODS, object);
        pods.put(metadata.path("name").asText(), new Pod(object, name, index));
    }

    /** As scheduler and node do. */
    private void look(Pod pod) throws IOException, InterruptedException {
        if (pod.phase().equals("Pending")) {
            List<String> free = new ArrayList<>(NODES);
            pods.values().stream().filter(other -> !other.isOver()).forEach(other -> free.remove(other.object.path("spec").path("nodeName").asText()));
            if (free.isEmpty()) {
                unschedulable(pod);
            } else {
                ((ObjectNode) pod.object.path("spec")).put("nodeName", free.getFirst());
                run(pod);
            }
        } else if (!pod.isOver() && !pod.process.isAlive()) {
            ended(pod, pod.process.exitValue());
        }
    }

    private void unschedulable(Pod pod) throws IOException, InterruptedException {
        ObjectNode status = (ObjectNode) pod.object.path("status");
        if (!status.has("conditions")) {
            status.putArray("conditions").addObject().put("type", "PodScheduled").put("status", "False").put("reason", "Unschedulable")
                    .put("message", "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.");
            put(pod);
        }
    }

    private void put(Pod pod) throws IOException, InterruptedException {
        ask("PUT", PODS + "/" + pod.name(), pod.object);
    }

    private void ended(Pod pod, int status) throws IOException, InterruptedException {
        ObjectNode container = JSON.createObjectNode().put("name", "agent");
        container.putObject("state").putObject("terminated").put("exitCode", status).put("reason", status == 0 ? "Completed" : "Error");
        ((ObjectNode) pod.object.path("status")).put("phase", status == 0 ? "Succeeded" : "Failed").putArray("containerStatuses").add(container);
        put(pod);
        if (status != 0) {
            failures.merge(pod.job + "/" + pod.index, 1, Integer::sum);
        }
    }

    private void run(Pod pod) throws IOException, InterruptedException {
        Path own = Files.createDirectories(folder.resolve(pod.name()));
        JsonNode spec = pod.object.path("spec");
        Map<String, Path> volumes = volumes(spec, own);
        for (JsonNode container : spec.path("initContainers")) {
            int status = process(pod, container, volumes, own).waitFor();
            if (status != 0) {
                ended(pod, status);
                return;
            }
        }
        pod.process = process(pod, spec.path("containers").path(0), volumes, own);
        ((ObjectNode) pod.object.path("status")).put("phase", "Running").remove("conditions");
        put(pod);
    }

    private Map<String, Path> volumes(JsonNode spec, Path own) throws IOException, InterruptedException {
        Map<String, Path> made = new HashMap<>();
        for (JsonNode volume : spec.path("volumes")) {
            Path path = Files.createDirectories(own.resolve("volumes").resolve(volume.path("name").asText()));
            made.put(volume.path("name").asText(), path);
            if (volume.has("secret")) {
                int mode = volume.path("secret").path("defaultMode").asInt(0644) | (spec.path("securityContext").has("fsGroup") ? 0440 : 0);
                JsonNode secret = ask("GET", SECRETS + "/" + volume.path("secret").path("secretName").asText(), null);
                for (Map.Entry<String, JsonNode> each : secret.path("data").properties()) {
                    Path file = Files.write(path.resolve(each.getKey()), Base64.getDecoder().decode(each.getValue().asText()));
                    Files.setPosixFilePermissions(file, permissions(mode));
                }
            }
        }
        return made;
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < 9; bit++) {
            text.append((mode & (0400 >> bit)) == 0 ? '-' : "rwx".charAt(bit % 3));
        }
        return PosixFilePermissions.fromString(text.toString());
    }

    private Process process(Pod pod, JsonNode container, Map<String, Path> volumes, Path own) throws IOException, InterruptedException {
        Map<String, String> variables = variables(pod, container);
        List<String> words = new ArrayList<>();
        container.path("command").forEach(word -> words.add(mounted(word.asText(), container, volumes)));
        if (words.isEmpty()) {
            words.add(program.toString()); // The entry point of the image.
        }
        for (JsonNode word : container.path("args")) {
            String expanded = VARIABLE.matcher(word.asText()).replaceAll(found -> variables.get(found.group(1)));
            words.add(mounted(expanded, container, volumes));
        }
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(own.resolve("log").toFile()));
        builder.environment().putAll(variables);
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    /** A path as this host has it. */
    private static String mounted(String word, JsonNode container, Map<String, Path> volumes) {
        for (JsonNode mount : container.path("volumeMounts")) {
            String path = mount.path("mountPath").asText();
            if (word.startsWith(path + "/")) {
                return volumes.get(mount.path("name").asText()) + word.substring(path.length());
            }
        }
        return word;
    }

    private static Map<String, String> variables(Pod pod, JsonNode container) {
        Map<String, String> all = new HashMap<>(Map.of("JOB_COMPLETION_INDEX", Integer.toString(pod.index)));
        for (JsonNode variable : container.path("env")) {
            String field = variable.path("valueFrom").path("fieldRef").path("fieldPath").asText();
            String value;
            if (field.equals("spec.nodeName")) {
                value = pod.object.path("spec").path("nodeName").asText();
            } else if (field.equals("metadata.labels['batch.kubernetes.io/job-name']")) {
                value = pod.job;
            } else if (variable.path("valueFrom").path("resourceFieldRef").path("resource").asText().equals("requests.cpu")) {
                value = container.path("resources").path("requests").path("cpu").asText();
            } else {
                throw new IllegalStateException("this node does not know " + variable);
            }
            all.put(variable.path("name").asText(), value);
        }
        return all;
    }

    private void delete(Pod pod) throws IOException, InterruptedException {
        if (pod.process != null) {
            pod.process.destroy();
            if (!pod.process.waitFor(pod.object.path("spec").path("terminationGracePeriodSeconds").asInt(), TimeUnit.SECONDS)) {
                pod.process.destroyForcibly().waitFor();
            }
        }
        pods.remove(pod.name());
        ask("DELETE", PODS + "/" + pod.name(), null);
    }

    @Override
    public void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
        pods.values().stream().map(pod -> pod.process).filter(process -> process != null).forEach(Process::destroyForcibly);
    }
}
