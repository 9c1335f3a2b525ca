package org.posthouse.launch.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.testkit.SeededRuns;
import org.posthouse.wire.OutputPoint;
import org.posthouse.wire.PrintMark;

/** A process whose launchers die one after the other while it prints: its agent sends again what was not reported as kept. */
class ContinuedStreamTest {
    private static final long SECRET = 0x1234;
    private static final int SEEDS = Boolean.getBoolean("posthouse.long") ? 300 : 150;

    @TempDir
    private Path folder;

    private final List<String> told = new ArrayList<>();

    private final NotedWatcher watcher = new NotedWatcher(told);

    /** What launchers have written down. */
    private final Map<Long, OutputMarks.Place> places = watcher.places;

    /** Gives the bytes in random pieces. */
    private static InputStream inPieces(byte[] bytes, Random random) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] to, int offset, int length) {
                return super.read(to, offset, Math.min(length, 1 + random.nextInt(60)));
            }

            @Override
            public synchronized int available() {
                return random.nextBoolean() ? 0 : super.available();
            }
        };
    }

    /** A launcher that gets the stream from a point on, and dies when it has read so much. @return the points that it reported */
    private List<OutputPoint> launcher(byte[] stream, OutputPoint from, int end, boolean isLast, Path file, Random random) throws Exception {
        List<OutputPoint> points = new ArrayList<>(List.of(from));
        OutputScreen screen = new OutputScreen(new ByteArrayOutputStream(), true, false, System::nanoTime, why -> {});
        OutputJournal tape = OutputJournal.of(new OutputJournalBytes(file, true), "standard output", List.of(), watcher);
        places.forEach(tape.marks()::place);
        OutputPump pump = OutputPump.start(
                "test", inPieces(Arrays.copyOfRange(stream, (int) from.position(), end), random), screen.lane("[3] "), tape, 1, false, SECRET,
                new StreamProgress() {
                    @Override
                    public OutputPoint begins() {
                        return from;
                    }

                    @Override
                    public void kept(OutputPoint upTo) {
                        points.add(upTo);
                    }
                }, told::add);
        pump.await();
        if (isLast) {
            pump.finish(true);
        }
        tape.close();
        return points;
    }

    private static byte[] stream(Random random, StringBuilder lines, Map<Long, Integer> marks) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        int pieces = 20 + random.nextInt(100);
        for (int piece = 0; piece < pieces; piece++) {
            if (random.nextInt(4) == 0) {
                marks.put((long) stream.size(), lines.length());
                stream.writeBytes(new PrintMark(false, stream.size(), stream.size()).encode(SECRET));
            } else {
                String some = random.nextInt(3) == 0 ? "same\n" : "x".repeat(random.nextInt(30)) + piece + (random.nextInt(3) == 0 ? "" : "\n");
                lines.append(some);
                stream.writeBytes(some.getBytes(StandardCharsets.US_ASCII));
            }
        }
        return stream.toByteArray();
    }

    @Test
    void everyLineIsKeptOnceThroughTheDeathsOfLaunchers() {
        SeededRuns.each(SEEDS, seed -> {
            Random random = new Random(seed);
            StringBuilder lines = new StringBuilder();
            Map<Long, Integer> marks = new TreeMap<>();
            byte[] stream = stream(random, lines, marks);
            Path file = folder.resolve("rank-" + seed + ".out");
            told.clear();
            places.clear();
            OutputPoint from = OutputPoint.BEGIN;
            for (int deaths = random.nextInt(6); deaths > 0; deaths--) {
                int end = (int) from.position() + random.nextInt(stream.length - (int) from.position() + 1);
                List<OutputPoint> points = launcher(stream, from, end, false, file, random);
                from = points.get(random.nextInt(points.size())); // The others came to no agent.
            }
            launcher(stream, from, stream.length, true, file, random);
            assertThat(Files.readString(file)).isEqualTo(lines.toString());
            assertThat(told).isEmpty();
            marks.forEach((number, place) -> {
                OutputMarks.Place noted = places.get(number);
                assertThat(noted.line() + noted.bytes().length).as("mark " + number).isEqualTo((long) place);
            });
        });
    }
}
