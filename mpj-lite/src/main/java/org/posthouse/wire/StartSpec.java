package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All that an agent needs to start the process of a rank. It is sent in parts ({@link #parts}, {@link StartAssembly}).
 *
 * @param mainClass of the program
 * @param arguments of the program
 * @param jvmFlags of the rank's JVM
 * @param environment variables that the rank has in addition to the agent's
 * @param classPath entries, in order
 * @param files other files in the rank's folder
 * @param workFolder where the process runs; empty for the rank's own folder
 * @param relay address of the rank's relay as host:port; empty for the agent's own relay
 * @param token by which the rank proves itself to its relay
 * @param direct whether nothing stands between the rank and its relay
 * @param restartable whether the rank's job is logged, so that the rank may be started again
 * @param marksSecret secret of the marks in the rank's output, or empty
 * @param hasInput whether the launcher sends the rank's standard input
 * @param silenceSeconds after which a process that a signal has stopped is killed; 0: never
 */
public record StartSpec(
        String mainClass,
        List<String> arguments,
        List<String> jvmFlags,
        SortedMap<String, String> environment,
        List<StagedFile> classPath,
        List<StagedFile> files,
        String workFolder,
        String relay,
        Token token,
        boolean direct,
        boolean restartable,
        String marksSecret,
        boolean hasInput,
        int silenceSeconds) {
    /** Most bytes of an encoded specification. */
    public static final int BYTES_MAX = 16 * 1024 * 1024;

    private static final String NAME = "start specification";

    /**
     * A file that an agent gets by its content.
     *
     * @param name path in the rank's folder, relative
     * @param hash of its content
     * @param length in bytes
     */
    public record StagedFile(String name, ContentHash hash, long length) {
        /** The hash of a file that is not staged: its name is an absolute path, which every node of the job sees. */
        public static final ContentHash SHARED = new ContentHash(0, 0, 0, 0);
    }

    public StartSpec {
        arguments = List.copyOf(arguments);
        jvmFlags = List.copyOf(jvmFlags);
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
        classPath = List.copyOf(classPath);
        files = List.copyOf(files);
    }

    /**
     * The messages that carry it, in order.
     *
     * @throws IllegalArgumentException if it is longer than {@link #BYTES_MAX}
     */
    public List<AgentMessage.Start> parts(Token key, int rank, int incarnation) {
        ByteBuffer all = encode();
        List<AgentMessage.Start> parts = new ArrayList<>();
        while (all.hasRemaining()) {
            int bytes = Math.min(all.remaining(), AgentMessage.Start.BYTES_MAX);
            ByteBuffer part = all.slice(all.position(), bytes);
            all.position(all.position() + bytes);
            parts.add(new AgentMessage.Start(key, rank, incarnation, parts.size(), all.hasRemaining(), part));
        }
        return parts;
    }

    ByteBuffer encode() {
        FrameWriter out = new FrameWriter(NAME, BYTES_MAX).longText(mainClass);
        write(out, arguments);
        write(out, jvmFlags);
        out.i32(environment.size());
        environment.forEach((name, value) -> out.longText(name).longText(value));
        writeFiles(out, classPath);
        writeFiles(out, files);
        return out.longText(workFolder)
                .longText(relay)
                .token(token)
                .flag(direct)
                .flag(restartable)
                .longText(marksSecret)
                .flag(hasInput)
                .i32(silenceSeconds)
                .finishPart();
    }

    private static void write(FrameWriter out, List<String> texts) {
        out.i32(texts.size());
        texts.forEach(out::longText);
    }

    private static void writeFiles(FrameWriter out, List<StagedFile> files) {
        out.i32(files.size());
        for (StagedFile file : files) {
            file.hash.write(out.longText(file.name)).i64(file.length);
        }
    }

    /**
     * Reads all parts, one behind the other.
     *
     * @throws WireException if a field is missing or out of range
     */
    static StartSpec decode(ByteBuffer parts) throws WireException {
        FrameReader in = new FrameReader(NAME, parts);
        StartSpec spec = new StartSpec(
                in.longText("main class"),
                texts(in, "arguments"),
                texts(in, "JVM flags"),
                environment(in),
                files(in, "class path entries"),
                files(in, "files"),
                in.longText("work folder"),
                in.longText("relay"),
                in.token("token"),
                in.flag("direct"),
                in.flag("restartable"),
                in.longText("secret of marks"),
                in.flag("input"),
                in.i32("seconds", 0, Integer.MAX_VALUE));
        in.end();
        return spec;
    }

    private static List<String> texts(FrameReader in, String what) throws WireException {
        int count = in.count(Integer.BYTES, what);
        List<String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            texts.add(in.longText(what));
        }
        return texts;
    }

    private static SortedMap<String, String> environment(FrameReader in) throws WireException {
        int count = in.count(2 * Integer.BYTES, "variables");
        Map<String, String> environment = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            String name = in.longText("variable");
            if (environment.put(name, in.longText("value of a variable")) != null) {
                throw new WireException(CloseReason.MALFORMED_FRAME, NAME + " with variable " + name + " twice, expected once");
            }
        }
        return new TreeMap<>(environment);
    }

    private static List<StagedFile> files(FrameReader in, String what) throws WireException {
        int count = in.count(Integer.BYTES + ContentHash.BYTES + Long.BYTES, what);
        List<StagedFile> files = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            files.add(new StagedFile(in.longText("name of a file"), ContentHash.read(in), in.i64("length", 0, Wire.MESSAGE_BYTES_MAX)));
        }
        return files;
    }
}
