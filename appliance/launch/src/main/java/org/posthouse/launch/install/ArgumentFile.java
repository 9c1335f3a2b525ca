package org.posthouse.launch.install;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.posthouse.logstore.file.TemporaryFolder;

/**
 * A command of {@code java} whose words are too long for the system. Its last words stand in a file
 * ({@code java @FILE}) in a temporary folder, which is deleted with this object. The file holds the words that
 * {@code java} would have received. It may not name a further file: {@code java} reads none from within.
 */
public final class ArgumentFile implements AutoCloseable {
    /** Linux takes words of 128 KiB, and of all together 2 MiB with the environment; other systems take less. */
    static final int BYTES_MAX = 64 * 1024;

    private final List<String> command;
    /** Null if none is needed. */
    private final TemporaryFolder folder;

    private ArgumentFile(List<String> command, TemporaryFolder folder) {
        this.command = command;
        this.folder = folder;
    }

    /** @param from the first of the command's words that may stand in a file; no such file is named from there on */
    public static ArgumentFile of(List<String> command, int from) throws IOException {
        List<String> last = command.subList(from, command.size());
        if (last.stream().mapToLong(String::length).sum() <= BYTES_MAX) {
            return new ArgumentFile(command, null);
        }
        TemporaryFolder folder = TemporaryFolder.make("posthouse-");
        Path file = folder.path().resolve("arguments");
        Files.writeString(file, last.stream().map(ArgumentFile::quoted).collect(Collectors.joining("\n", "", "\n")), ofTheSystem());
        List<String> shorter = new ArrayList<>(command.subList(0, from));
        shorter.add("@" + file);
        return new ArgumentFile(shorter, folder);
    }

    /** In which {@code java} reads its arguments. */
    private static Charset ofTheSystem() {
        return Charset.forName(System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name()));
    }

    static String quoted(String word) {
        return "\"" + word.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t").replace("\f", "\\f")
                + "\"";
    }

    /** The command to start. */
    public List<String> command() {
        return command;
    }

    @Override
    public void close() throws IOException {
        if (folder != null) {
            folder.close();
        }
    }
}
