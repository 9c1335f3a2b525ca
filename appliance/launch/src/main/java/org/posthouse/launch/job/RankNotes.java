package org.posthouse.launch.job;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.launch.output.OutputMarks;

/**
 * A launcher's notes about ranks that it did not start itself, and the lines of their file. The lines are
 * {@code start RANK INCARNATION}, {@code done RANK}, {@code mark RANK IMAGE OUT ERR},
 * {@code place RANK out|err MARK BYTE BEGUN} (the beginning of its line in Base64) and {@code limit RANK WHY}.
 * {@code ending STATUS CAUSE} is written before the end is sent to the relays, {@code end STATUS CAUSE} when all of
 * them have received it. Not thread-safe.
 */
public final class RankNotes {
    /** Which marks in the two streams of its rank an image has, or for 0 the end of the prologue. */
    public record Mark(int image, long outBytes, long errBytes) {}

    /**
     * A rank may restart from either of its two images. The newest may be reported while the one before the last still
     * counts.
     */
    private static final int IMAGES = OutputMarks.OLDER + 1;

    private final int[] incarnation;
    private final boolean[] done;
    private final Mark[] prologues;
    private final String[] limits;
    private final List<Deque<Mark>> images = new ArrayList<>();
    private final List<OutputMarks> out = new ArrayList<>();
    private final List<OutputMarks> err = new ArrayList<>();
    private JobStatusReport.End end;
    /** Whether all relays know of it. */
    private boolean told;

    /** Notes about this many ranks, none of which was started. */
    public RankNotes(int ranks) {
        incarnation = new int[ranks];
        done = new boolean[ranks];
        prologues = new Mark[ranks];
        limits = new String[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            images.add(new ArrayDeque<>(IMAGES + 1));
            out.add(new OutputMarks());
            err.add(new OutputMarks());
        }
    }

    /** Reads whole lines. @throws IOException naming the first that is none */
    public void read(String lines) throws IOException {
        int number = 0;
        for (String line : lines.isEmpty() ? new String[0] : lines.split("\n")) {
            number++;
            try {
                take(line.split(" ", -1));
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw new IOException("line " + number + " of progress says nothing: \"" + line + "\"", e);
            }
        }
    }

    private void take(String[] words) {
        switch (words[0]) {
            case "start" -> starts(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "done" -> done(Integer.parseInt(words[1]));
            case "mark" ->
                    marked(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
            case "place" -> placed(new JobSignal.Placed(Integer.parseInt(words[1]), isErr(words[2]), Long.parseLong(words[3]), place(words)));
            case "limit" -> limited(Integer.parseInt(words[1]), rest(words));
            case "ending" -> ending(Integer.parseInt(words[1]), rest(words));
            case "end" -> ended(Integer.parseInt(words[1]), rest(words));
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private static OutputMarks.Place place(String[] words) {
        return OutputMarks.Place.of(Long.parseLong(words[4]), Base64.getDecoder().decode(words[5]));
    }

    private static boolean isErr(String stream) {
        if (!stream.equals("out") && !stream.equals("err")) {
            throw new IllegalArgumentException(stream);
        }
        return stream.equals("err");
    }

    private static String rest(String[] words) {
        return String.join(" ", List.of(words).subList(2, words.length));
    }

    /** @return the line that records it, as for all methods that follow */
    public String starts(int rank, int number) {
        incarnation[rank] = Math.max(incarnation[rank], number);
        return "start " + rank + " " + number + "\n";
    }

    /** Notes that the rank has come to its end. */
    public String done(int rank) {
        done[rank] = true;
        return "done " + rank + "\n";
    }

    /** Notes the marks of an image in the two streams; image 0 is the end of the prologue. */
    public String marked(int rank, int image, long outBytes, long errBytes) {
        Mark mark = new Mark(image, outBytes, errBytes);
        out.get(rank).mark(image, outBytes);
        err.get(rank).mark(image, errBytes);
        if (image == 0) {
            prologues[rank] = mark;
        } else {
            limits[rank] = null;
            images.get(rank).addLast(mark);
            if (images.get(rank).size() > IMAGES) {
                images.get(rank).removeFirst();
            }
        }
        return line(rank, mark);
    }

    private static String line(int rank, Mark mark) {
        return "mark " + rank + " " + mark.image + " " + mark.outBytes + " " + mark.errBytes + "\n";
    }

    /** Notes where a mark stands. */
    public String placed(JobSignal.Placed place) {
        marks(place.rank(), place.isErr()).place(place.mark(), place.place());
        return line(place.rank(), place.isErr(), place.mark(), place.place());
    }

    private OutputMarks marks(int rank, boolean isErr) {
        return (isErr ? err : out).get(rank);
    }

    private static String line(int rank, boolean isErr, long mark, OutputMarks.Place place) {
        String begun = Base64.getEncoder().encodeToString(place.bytes());
        return "place " + rank + (isErr ? " err " : " out ") + mark + " " + place.line() + " " + begun + "\n";
    }

    /** Where marks stand in what is kept of a stream of the rank, by their numbers. */
    public Map<Long, OutputMarks.Place> places(int rank, boolean isErr) {
        return marks(rank, isErr).places();
    }

    /** The rank did what cannot be replayed, and no image lies behind it. */
    public String limited(int rank, String why) {
        limits[rank] = why;
        return "limit " + rank + " " + oneLine(why) + "\n";
    }

    /** Notes how the job is to end. */
    public String ending(int status, String cause) {
        end = new JobStatusReport.End(status, cause, false);
        told = false;
        return line("ending");
    }

    /** Notes how the job ended, as all relays know. */
    public String ended(int status, String cause) {
        end = new JobStatusReport.End(status, cause, false);
        told = true;
        return line("end");
    }

    private String line(String word) {
        return word + " " + end.status() + " " + oneLine(end.cause()) + "\n";
    }

    /** Replaces line ends, which only texts from elsewhere have. */
    private static String oneLine(String text) {
        return text.replaceAll("\\R", " ");
    }

    /** All that is still of use, in lines. */
    public String lines() {
        StringBuilder lines = new StringBuilder();
        for (int rank = 0; rank < done.length; rank++) {
            if (incarnation[rank] > 0) {
                lines.append(starts(rank, incarnation[rank]));
            }
            for (Mark mark : marks(rank)) {
                lines.append(line(rank, mark));
            }
            int number = rank;
            places(rank, false).forEach((mark, place) -> lines.append(line(number, false, mark, place)));
            places(rank, true).forEach((mark, place) -> lines.append(line(number, true, mark, place)));
            if (limits[rank] != null) {
                lines.append(limited(rank, limits[rank]));
            }
            if (done[rank]) {
                lines.append(done(rank));
            }
        }
        if (end != null) {
            lines.append(line(told ? "end" : "ending"));
        }
        return lines.toString();
    }

    /** The number of the rank's last process; 0 if none was started. */
    public int incarnation(int rank) {
        return incarnation[rank];
    }

    /** Whether a process of any rank was started. */
    public boolean isBegun() {
        return Arrays.stream(incarnation).anyMatch(number -> number > 0);
    }

    /** Whether the rank has come to its end. */
    public boolean isDone(int rank) {
        return done[rank];
    }

    /** Why the rank cannot be replayed; null if it can. */
    public String limit(int rank) {
        return limits[rank];
    }

    /** Marks from which the rank's processes may continue, the end of the prologue first. */
    public List<Mark> marks(int rank) {
        List<Mark> marks = new ArrayList<>(images.get(rank));
        if (prologues[rank] != null) {
            marks.addFirst(prologues[rank]);
        }
        return marks;
    }

    /** End of the job; empty while it is not decided. Perhaps not every relay knows it. */
    public Optional<JobStatusReport.End> ending() {
        return Optional.ofNullable(end);
    }

    /** End of the job, once every relay knows it; else empty. */
    public Optional<JobStatusReport.End> end() {
        return told ? ending() : Optional.empty();
    }
}
