package org.posthouse.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file system with little room, which is really full when it is full: a tmpfs in namespaces of its own, that goes with the
 * last process in them. It takes no rights, but a kernel that lets users have such namespaces; where there are none, the test
 * is not run.
 */
public final class SmallDisk implements AutoCloseable {
    private static final int PIECE_BYTES = 64 << 10;

    private final Process holder;
    private final Path at;

    private SmallDisk(Process holder, Path at) {
        this.holder = holder;
        this.at = at;
    }

    /** @param at where its own processes see it; an empty folder for all others */
    public static SmallDisk mount(Path at, int mebibytes) throws IOException {
        Files.createDirectories(at);
        String script = "mount -t tmpfs -o size=" + mebibytes + "m posthouse \"$0\" && echo mounted && exec sleep 600";
        Process holder = new ProcessBuilder("unshare", "-Urm", "sh", "-c", script, at.toString())
                .redirectErrorStream(true)
                .start();
        BufferedReader told = holder.inputReader(StandardCharsets.UTF_8);
        String line = told.readLine();
        assumeTrue("mounted".equals(line), () -> "no tmpfs can be mounted here: " + line);
        return new SmallDisk(holder, at);
    }

    /** Where its own processes see it. */
    public Path path() {
        return at;
    }

    /** What enters its namespaces, and becomes the command behind it. */
    public List<String> entered() {
        return List.of("nsenter", "-t", Long.toString(holder.pid()), "-U", "-m", "--preserve-credentials", "--");
    }

    /** How others see what is on it. */
    public Path seen(String name) {
        return Path.of("/proc/" + holder.pid() + "/root" + at).resolve(name);
    }

    /** Writes a file until nothing more fits. */
    public void fill() throws IOException {
        try (OutputStream filler = Files.newOutputStream(seen("filler"))) {
            while (true) {
                filler.write(new byte[PIECE_BYTES]);
            }
        } catch (IOException e) {
            if (!String.valueOf(e.getMessage()).contains("No space")) {
                throw e;
            }
        }
    }

    /** Deletes that file. */
    public void makeRoom() throws IOException {
        Files.delete(seen("filler"));
    }

    @Override
    public void close() {
        holder.destroyForcibly();
    }
}
