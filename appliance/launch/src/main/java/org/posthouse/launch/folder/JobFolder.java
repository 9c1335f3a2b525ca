package org.posthouse.launch.folder;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.posthouse.causes.Causes;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.RankNotes;
import org.posthouse.launch.output.OutputJournal;
import org.posthouse.logstore.file.Disk;

/**
 * The state that a launcher leaves for its successor, which continues the job if the launcher dies. A folder that only
 * its owner can read, since it has the job's token and environment. Its files survive this process. Confined to
 * the job's thread.
 *
 * <ul>
 *   <li>{@code job.json}: the job's specification ({@link JobFile}).
 *   <li>{@code progress}: started processes, ranks that are done or cannot be replayed, the images' places in the
 *       output, and the end ({@link RankNotes}). A line each, of which the last may be cut short.
 *   <li>{@code rank-N.out}, {@code rank-N.err}: each line that the rank has printed, once ({@link OutputJournal}).
 *   <li>{@code input}: the ranks' standard input, and {@code input.end} once that is complete ({@link JobInput}).
 *   <li>{@code lock}: held by the launcher that has the job.
 * </ul>
 */
public final class JobFolder implements Closeable {
    private static final String JOB = "job.json";
    private static final String PROGRESS = "progress";
    /** Suffix of a file that is to replace another. A full disk may leave one behind. */
    private static final String NEW = ".new";

    private static final String LOCK = "lock";
    private static final String INPUT = "input";
    private static final String INPUT_END = "input.end";
    private static final long PROGRESS_BYTES_MAX = 1L << 20;

    private final Path folder;
    private final FileChannel lock;
    /** Null until the job is described. */
    private JobFile job;

    private boolean left;

    private RankNotes notes;

    private FileChannel progress;
    /** Length of the file of notes, in bytes, above which it is rewritten. */
    private long bytesMax;

    /**
     * Whether the last line may be cut short, or missing on the disk. Behind it none can be written, and all are written
     * anew.
     */
    private boolean torn;

    /** Whether lines of {@link #progress} may not be on the disk. */
    private boolean unforced;

    private JobFolder(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /** An empty folder for a new job; made if missing. @throws JobFailure if there is something in it, or it cannot be written */
    public static JobFolder create(Path folder) throws JobFailure {
        try {
            Path above = folder.toAbsolutePath().getParent();
            Files.createDirectories(above);
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Disk.force(above);
        } catch (FileAlreadyExistsException e) {
            String other = isOne(folder) ? ": name a new folder, or go on with its job: posthouse resume " + folder : ", and no job in it: name a new folder";
            throw new JobFailure("there is a " + folder + " already" + other, e);
        } catch (IOException e) {
            throw cannotUse(folder, e);
        }
        return locked(folder);
    }

    /** The folder of a job that its launcher has left. @throws JobFailure if it is none, its job is over, or its launcher lives */
    public static JobFolder open(Path folder) throws JobFailure {
        return open(folder, false);
    }

    /** The same of a job that is to be ended: it may be over, as relays may have it all the same. */
    public static JobFolder openToEnd(Path folder) throws JobFailure {
        return open(folder, true);
    }

    private static JobFolder open(Path folder, boolean mayBeOver) throws JobFailure {
        if (!isOne(folder)) {
            String begin = Files.exists(folder) ? "" : "; posthouse run --folder " + folder + " begins one";
            throw new JobFailure("no job in " + folder + ": it has no " + JOB + begin);
        }
        JobFolder opened = locked(folder);
        try {
            opened.read(mayBeOver);
            return opened;
        } catch (IOException e) {
            opened.close();
            throw cannotUse(folder, e);
        } catch (JobFailure e) {
            opened.close();
            throw e;
        }
    }

    private static JobFolder locked(Path folder) throws JobFailure {
        try {
            FileChannel lock = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (isLocked(lock)) {
                return new JobFolder(folder, lock);
            }
            lock.close();
            throw new JobFailure("the job in " + folder + " has a launcher: it is running");
        } catch (IOException e) {
            throw cannotUse(folder, e);
        }
    }

    private static boolean isLocked(FileChannel lock) throws IOException {
        try {
            return lock.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static JobFailure cannotUse(Path folder, IOException why) {
        return new JobFailure("the job's folder " + folder + " cannot be used: " + Causes.text(why), why);
    }

    private void read(boolean mayBeOver) throws IOException, JobFailure {
        job = readJob(folder);
        notes = readNotes(folder, job);
        Optional<JobStatusReport.End> end = notes.end();
        if (end.isPresent() && !mayBeOver) {
            String cause = end.get().cause();
            throw new JobFailure("the job in " + folder + " is over: it ended with status " + end.get().status() + (cause.isEmpty() ? "" : ": " + cause));
        }
        left = true;
        begin();
    }

    private static JobFile readJob(Path folder) throws IOException {
        return JobFile.decode(Files.readAllBytes(folder.resolve(JOB)));
    }

    private static RankNotes readNotes(Path folder, JobFile job) throws IOException {
        RankNotes notes = new RankNotes(job.spec().ranks());
        byte[] written = Files.readAllBytes(folder.resolve(PROGRESS));
        int end = written.length;
        while (end > 0 && written[end - 1] != '\n') {
            end--; // Of bytes: the last line may end within a character.
        }
        notes.read(new String(written, 0, end, StandardCharsets.UTF_8));
        return notes;
    }

    /** Whether a launcher has begun a job in this folder. */
    public static boolean isOne(Path folder) {
        return Files.isRegularFile(folder.resolve(JOB));
    }

    /**
     * End of the job in this folder; empty if it has not ended, or not every relay knows. No process writes to the
     * folder meanwhile.
     */
    public static Optional<JobStatusReport.End> end(Path folder) throws JobFailure {
        try {
            return isOne(folder) ? readNotes(folder, readJob(folder)).end() : Optional.empty();
        } catch (IOException e) {
            throw cannotUse(folder, e);
        }
    }

    /** Number of ranks of the job in this folder. */
    public static int ranks(Path folder) throws JobFailure {
        try {
            return readJob(folder).spec().ranks();
        } catch (IOException e) {
            throw cannotUse(folder, e);
        }
    }

    /**
     * Output of a rank under all launchers of the job in this folder, as shown, without line ends.
     *
     * @param stream {@code out} or {@code err}
     */
    public static List<String> shown(Path folder, int rank, String stream) throws JobFailure {
        try {
            Path file = output(folder, rank, stream);
            return Files.exists(file) ? OutputJournal.lines(file) : List.of();
        } catch (IOException e) {
            throw cannotUse(folder, e);
        }
    }

    /** Writes down what is still of use in the place of all lines so far. */
    private void begin() throws IOException {
        replace(PROGRESS, notes.lines().getBytes(StandardCharsets.UTF_8));
        if (progress != null) {
            progress.close();
        }
        progress = FileChannel.open(folder.resolve(PROGRESS), StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        unforced = false;
        bytesMax = Math.max(PROGRESS_BYTES_MAX, 8 * progress.size());
    }

    /** The file is always the complete old one or the complete new one, even after a crash. */
    private void replace(String name, byte[] bytes) throws IOException {
        Path whole = folder.resolve(name + NEW);
        try (FileChannel file = FileChannel.open(
                whole, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            write(file, bytes);
            file.force(true);
        }
        Files.move(whole, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        Disk.force(folder);
    }

    /** Says what the job is, before it is opened at a relay. */
    public void describe(JobFile described) throws JobFailure {
        job = described;
        notes = new RankNotes(described.spec().ranks());
        try {
            begin();
            replace(JOB, described.encode());
        } catch (IOException e) {
            throw cannotUse(folder, e);
        }
    }

    /** Where the launch token of the job's relays is; null if they have none. */
    public Path tokenFile() {
        return job.tokenFile().orElse(null);
    }

    /** Number of the job's ranks. */
    public int ranks() {
        return job.spec().ranks();
    }

    /** Whether another launcher has begun the job. */
    public boolean isLeft() {
        return left;
    }

    /** The contents of {@code job.json}. */
    public JobFile job() {
        return job;
    }

    /** Notes of the earlier launchers about the ranks. */
    public RankNotes notes() {
        return notes;
    }

    /** The folder's path. */
    public Path path() {
        return folder;
    }

    /** Where what a rank prints to a stream is kept. @param stream {@code out} or {@code err} */
    Path output(int rank, String stream) {
        return output(folder, rank, stream);
    }

    private static Path output(Path folder, int rank, String stream) {
        return folder.resolve("rank-" + rank + "." + stream);
    }

    /** Where what its ranks read on standard input is kept. */
    Path input() {
        return folder.resolve(INPUT);
    }

    /** The file that exists once the input is complete. */
    Path inputEnd() {
        return folder.resolve(INPUT_END);
    }

    /**
     * Records a process of the rank before its start. Its incarnation is never used again, even after a crash of this
     * host.
     */
    public void starts(int rank, int incarnation) throws IOException {
        append(notes.starts(rank, incarnation), true);
    }

    /** The rank has come to its end. Said again it is written if it could not be before. */
    public void done(int rank) throws IOException {
        if (torn || !notes.isDone(rank)) {
            append(notes.done(rank), false);
        }
    }

    /** Syncs all notes so far to the disk. A rank's end is synced before its relay discards the data to restart it. */
    public void force() throws IOException {
        if (unforced) {
            progress.force(false);
            unforced = false;
        }
    }

    /** A rank has taken a checkpoint, or has come to the end of its prologue (image 0), and had printed so much by then. */
    public void marked(int rank, int image, long outBytes, long errBytes) throws IOException {
        append(notes.marked(rank, image, outBytes, errBytes), false);
    }

    /** A mark stands in what is kept of a rank's output. */
    public void placed(JobSignal.Placed place) throws IOException {
        append(notes.placed(place), false);
    }

    /** Whether what was printed before an image, or before a rank was done, is on the disk when that counts. */
    public boolean survivesHost() {
        return job.opening().survivesHost();
    }

    /** The rank did what cannot be replayed. */
    public void limited(int rank, String why) throws IOException {
        append(notes.limited(rank, why), false);
    }

    /** The job is over, and the end is about to be sent to its relays. */
    public void ending(int status, String cause) throws IOException {
        append(notes.ending(status, cause), true);
    }

    /** The job is over at its relays. */
    public void ended(int status, String cause) throws IOException {
        append(notes.ended(status, cause), true);
    }

    /** @param line what the notes have already @param forced whether it survives the host */
    private void append(String line, boolean forced) throws IOException {
        boolean anew = torn || progress.size() > bytesMax;
        torn = true;
        if (anew) {
            begin();
        } else {
            unforced = true;
            write(progress, line.getBytes(StandardCharsets.UTF_8));
            if (forced) {
                force();
            }
        }
        torn = false;
    }

    private static void write(FileChannel file, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            file.write(buffer);
        }
    }

    /** There is to be no job in it. */
    public void delete() throws JobFailure {
        close();
        try {
            for (String name : List.of(JOB, JOB + NEW, PROGRESS, PROGRESS + NEW, LOCK)) {
                Files.deleteIfExists(folder.resolve(name));
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw new JobFailure("the folder " + folder + " of a job that did not begin cannot be deleted: " + Causes.text(e), e);
        }
    }

    @Override
    public void close() {
        try {
            if (progress != null) {
                progress.close();
            }
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the job's folder " + folder + " cannot be closed", e);
        }
    }
}
