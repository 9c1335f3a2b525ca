package org.posthouse.system;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A Kubernetes of this host alone: the mock server of fabric8 as its store, which the real kubectl asks, and a
 * {@link KubernetesNode} for what its controllers and nodes do.
 */
final class KubernetesCluster implements AutoCloseable {
    /** What kubectl asks before it reads a manifest or patches an object. */
    private static final List<List<String>> DISCOVERY = List.of(
            List.of("/version", "{'major':'1','minor':'32','gitVersion':'v1.32.4'}"),
            List.of("/api", "{'kind':'APIVersions','versions':['v1']}"),
            List.of(
                    "/apis",
                    "{'kind':'APIGroupList','apiVersion':'v1','groups':[{'name':'batch','versions':[{'groupVersion':'batch/v1','version':'v1'}],"
                            + "'preferredVersion':{'groupVersion':'batch/v1','version':'v1'}}]}"),
            List.of(
                    "/api/v1", "{'kind':'APIResourceList','groupVersion':'v1','resources':[{'name':'pods','singularName':'pod','namespaced':true,"
                            + "'kind':'Pod','verbs':['get','list']}]}"),
            List.of(
                    "/apis/batch/v1", "{'kind':'APIResourceList','groupVersion':'batch/v1','resources':[{'name':'jobs','singularName':'job',"
                            + "'namespaced':true,'kind':'Job','verbs':['create','delete','get','list','patch']}]}"));

    /** Prints a line for each request. */
    private static final Logger STORE_LOG = Logger.getLogger(MockWebServer.class.getName());

    private final Path folder;
    private final KubernetesMockServer store;
    private final HttpServer front;
    private final String url;
    private final KubernetesNode nodes;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private KubernetesCluster(Path folder, KubernetesMockServer store, HttpServer front, String url, KubernetesNode nodes) {
        this.folder = folder;
        this.store = store;
        this.front = front;
        this.url = url;
        this.nodes = nodes;
    }

    /** Why there can be none here; empty if there can. */
    static String missing() throws IOException, InterruptedException {
        try {
            Process kubectl = new ProcessBuilder("kubectl", "version", "--client").redirectErrorStream(true).start();
            String said = new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return kubectl.waitFor() == 0 ? "" : "kubectl does not run here: " + said;
        } catch (IOException e) {
            return "there is no kubectl here: install kubernetes-client";
        }
    }

    /**
     * @param program executes {@code posthouse}, as the image does
     * @param token the Secret posthouse-token
     */
    static KubernetesCluster start(Path folder, Path program, String token) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        STORE_LOG.setLevel(Level.WARNING);
        KubernetesMockServer store = new KubernetesMockServer(new Context(), new MockWebServer(), new HashMap<>(), new KubernetesCrudDispatcher(), false);
        store.init(InetAddress.getLoopbackAddress(), 0);
        String url = store.url("/").replaceFirst("/$", "");
        HttpServer front = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        KubernetesCluster cluster = new KubernetesCluster(folder, store, front, url, KubernetesNode.start(url, folder, program));
        front.createContext("/", cluster::answer);
        front.setExecutor(cluster.threads);
        front.start();
        Files.writeString(folder.resolve("config"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: test, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: test, user: {}}]
                contexts: [{name: test, context: {cluster: test, user: test, namespace: jobs}}]
                current-context: test
                """.formatted(front.getAddress().getPort()));
        cluster.secret(token);
        return cluster;
    }

    /** What the store does not have; it reads no body either whose length or kind is not told, as kubectl sends it. */
    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            Optional<String> known = DISCOVERY.stream().filter(each -> each.getFirst().equals(path)).map(each -> each.get(1).replace('\'', '"')).findFirst();
            if (known.isPresent()) {
                send(exchange, 200, known.get().getBytes(StandardCharsets.UTF_8));
            } else if (path.endsWith("/log")) {
                send(exchange, 200, (lastLine(path.substring(0, path.length() - "/log".length())) + "\n").getBytes(StandardCharsets.UTF_8));
            } else {
                byte[] body = exchange.getRequestBody().readAllBytes();
                String kind = Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Content-Type"), "application/json");
                HttpResponse<byte[]> stored = http.send(
                        HttpRequest.newBuilder(URI.create(url + exchange.getRequestURI())).header("Content-Type", kind)
                                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body)).build(),
                        HttpResponse.BodyHandlers.ofByteArray());
                send(exchange, stored.statusCode(), stored.body());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    private String lastLine(String pod) throws IOException {
        Path log = folder.resolve(pod.substring(pod.lastIndexOf('/') + 1)).resolve("log");
        String printed = Files.exists(log) ? Files.readString(log).stripTrailing() : "";
        return printed.substring(printed.lastIndexOf('\n') + 1);
    }

    /** The command and options for {@code --kubectl}. */
    String kubectl() {
        return "kubectl --kubeconfig " + folder.resolve("config") + " --cache-dir " + folder.resolve("cache");
    }

    /** Puts the launch token into the Secret that the manifests name. */
    void secret(String token) throws IOException, InterruptedException {
        ObjectNode secret = new ObjectMapper().createObjectNode().put("apiVersion", "v1").put("kind", "Secret");
        secret.putObject("metadata").put("name", "posthouse-token");
        secret.putObject("data").put("token", Base64.getEncoder().encodeToString(token.getBytes(StandardCharsets.UTF_8)));
        nodes.replaceSecret(secret);
    }

    /** What there is but Secrets: names of Jobs and Pods. */
    List<String> objects() throws IOException, InterruptedException {
        return nodes.objects();
    }

    /** How long the first Job may run; 0 if there is none. */
    int deadlineSeconds() throws IOException, InterruptedException {
        return nodes.deadlineSeconds();
    }

    @Override
    public void close() throws InterruptedException {
        nodes.close();
        front.stop(0);
        threads.shutdownNow();
        store.destroy();
    }
}
