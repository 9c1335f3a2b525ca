package org.posthouse.mpj;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.posthouse.ops.OpsConfig;
import org.posthouse.ops.OpsMetrics;
import org.posthouse.ops.OpsServer;
import org.posthouse.ops.RelayView;

/** A console for relays of this process, and what a scrape of it shows. */
final class Scrape implements AutoCloseable {
    private static final Pattern SAMPLE = Pattern.compile("(posthouse_\\w+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    private final OpsMetrics metrics = OpsMetrics.create();
    private final Vertx vertx = metrics.vertx(new VertxOptions(), Transport.NIO);
    private final OpsServer server;

    /** One line of it that is ours. */
    record Sample(String name, Map<String, String> labels, double value) {}

    Scrape(Supplier<List<RelayView>> relays) {
        server = OpsServer.start(vertx, OpsConfig.loopback(0), relays, metrics.registry()).await();
    }

    List<String> lines() throws IOException {
        try (InputStream in = URI.create("http://127.0.0.1:" + server.port() + "/metrics").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    List<Sample> samples() throws IOException {
        return lines().stream().map(SAMPLE::matcher).filter(Matcher::matches).map(Scrape::sample).toList();
    }

    private static Sample sample(Matcher line) {
        Map<String, String> labels = new TreeMap<>();
        if (line.group(2) != null) {
            LABEL.matcher(line.group(2)).results().forEach(label -> labels.put(label.group(1), label.group(2)));
        }
        return new Sample(line.group(1), labels, Double.parseDouble(line.group(3)));
    }

    /** Name and labels of every sample. */
    Set<String> series() throws IOException {
        Set<String> series = new TreeSet<>();
        samples().forEach(sample -> series.add(sample.name + sample.labels));
        return series;
    }

    /** The sum of all samples that have this name and these labels, given as {@code label=value}; 0 if there is none. */
    double sum(String name, String... labels) {
        try {
            return samples().stream()
                    .filter(sample -> sample.name.equals(name) && has(sample, labels))
                    .mapToDouble(Sample::value)
                    .sum();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean has(Sample sample, String... labels) {
        for (String label : labels) {
            String[] pair = label.split("=", 2);
            if (!pair[1].equals(sample.labels.get(pair[0]))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        vertx.close().await();
        metrics.close();
    }
}
