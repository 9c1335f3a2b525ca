package org.posthouse.logstore;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.RecordPosition;

/** Run in a process of its own by {@link FullDiskTest}: fills the disk that its log is on, to the last byte, and goes on. */
final class FullDisk {
    private static final int PIECE_BYTES = 64 << 10;

    /** Into the second file of the log. */
    private static final int PIECES = 150;

    private static final int ROLL_BYTES = 8 << 20;

    private FullDisk() {}

    /** @param args the disk's folder */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0], "log");
        LogConfig config = new LogConfig(folder, ROLL_BYTES, 0);
        long last;
        try (MessageLog log = MessageLog.open(config)) {
            for (int i = 0; i < PIECES; i++) {
                require(log.hasRoom() && append(log) != MessageLog.NO_ROOM, "no room on an empty disk");
            }
            fill(Path.of(args[0], "filler"));
            for (int i = 0; log.hasRoomNow(); i++) {
                require(i < PIECES && append(log) != MessageLog.NO_ROOM, "room without end on a full disk, or refused with room");
            }
            int more = 0;
            while (append(log) != MessageLog.NO_ROOM) {
                more++;
            }
            require(more * (long) PIECE_BYTES > 2 << 20, "only " + more + " pieces more had their blocks");
            last = log.position();
        }
        opensOrSaysThatItIsFull(config);
        Files.delete(Path.of(args[0], "filler"));
        LogScan scan = scanTakesNoRoom(folder);
        require(scan.defect().isEmpty() && scan.lastPosition() >= last, "it ends at " + scan.lastPosition() + ": " + scan.defect());
        try (MessageLog log = MessageLog.open(config)) {
            require(log.hasRoom() && append(log) > scan.lastPosition() + 1, "it does not go on behind " + last);
            waitsForAFileThatItMayOpen(log);
        }
        saysThatItIsFullWithoutAName(config);
        Path newest = QueueFiles.list(folder).sequencedValues().getLast();
        try (RandomAccessFile torn = new RandomAccessFile(newest.toFile(), "rw")) {
            torn.seek(torn.length() - 1);
            torn.write(1);
        }
        require(scanTakesNoRoom(folder).defect().orElseThrow().kind() == LogDefect.Kind.TORN_TAIL, "what stands behind its end is not found");
        System.out.println("all is well");
    }

    /** On a tmpfs reading holes of a file through memory takes a page for each. */
    private static LogScan scanTakesNoRoom(Path folder) throws IOException {
        long freeBytes = Files.getFileStore(folder).getUsableSpace();
        LogScan scan = MessageLog.scan(folder, entry -> {});
        long takenBytes = freeBytes - Files.getFileStore(folder).getUsableSpace();
        require(takenBytes < PIECE_BYTES, "reading the log takes " + takenBytes + " bytes of its disk");
        return scan;
    }

    /** Connections may have taken all that the process may open, as long as they last. */
    private static void waitsForAFileThatItMayOpen(MessageLog log) throws IOException {
        log.discard(log.cut(log.position()), Long.MAX_VALUE); // So that there is one to begin again, which has its blocks.
        for (int i = 0; i < ROLL_BYTES / PIECE_BYTES - 2; i++) {
            require(append(log) != MessageLog.NO_ROOM, "no room for a file");
        }
        List<InputStream> taken = new ArrayList<>();
        takeAllFiles(taken);
        ByteBuffer large = ByteBuffer.allocateDirect(PIECE_BYTES); // It would be copied by way of a file that is not open yet.
        for (int i = 0; append(log, large) != MessageLog.NO_ROOM; i++) {
            require(i < PIECES, "it goes on without opening a file");
            takeAllFiles(taken);
        }
        long before = log.place();
        long beforePosition = log.position();
        for (InputStream one : taken) {
            one.close();
        }
        require(log.hasRoomNow() && append(log) != MessageLog.NO_ROOM, "it does not go on when it may open files again");
        require(RecordPosition.file(log.place()) > RecordPosition.file(before), "it begins no file when it may open files again");
        taken.clear();
        try (PayloadReader reader = log.reader()) {
            read(reader, beforePosition, before);
            takeAllFiles(taken);
            read(reader, log.position(), log.place());
        } finally {
            for (InputStream one : taken) {
                one.close();
            }
        }
    }

    private static void read(PayloadReader reader, long position, long place) {
        reader.readArrival(Samples.JOB, Samples.arrival(1, PIECE_BYTES).rank(), position, place, ByteBuffer.allocate(PIECE_BYTES));
    }

    /** Those too that the log has closed since. */
    private static void takeAllFiles(List<InputStream> taken) {
        try {
            while (true) {
                taken.add(Files.newInputStream(Path.of("/dev/null")));
            }
        } catch (IOException e) {
            require(e.getMessage().contains("Too many open files"), e.toString());
        }
    }

    /** There are bytes, but no more files may be made; a quota looks the same. */
    private static void saysThatItIsFullWithoutAName(LogConfig config) throws IOException {
        List<Path> fillers = new ArrayList<>();
        try {
            while (true) {
                fillers.add(Files.createFile(config.folder().resolveSibling("filler" + fillers.size())));
            }
        } catch (IOException e) {
            require(e.getMessage().contains("No space"), e.toString());
        }
        try {
            MessageLog.open(config).close();
            require(false, "it opens, and " + fillers.size() + " files took all names");
        } catch (LogException e) {
            require(e.isFull() && e.getMessage().contains("writer.pid: No space left on device") && e.getMessage().contains("quota"), e.toString());
        }
        for (Path filler : fillers) {
            Files.delete(filler);
        }
        MessageLog.open(config).close();
    }

    private static long append(MessageLog log) {
        return append(log, ByteBuffer.allocate(PIECE_BYTES));
    }

    private static long append(MessageLog log, ByteBuffer piece) {
        return log.appendArrival(Samples.arrival(1, PIECE_BYTES), piece);
    }

    private static void fill(Path filler) throws IOException {
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(new byte[PIECE_BYTES]);
            }
        } catch (IOException e) {
            require(e.getMessage().contains("No space"), e.toString());
        }
    }

    /** It opens if the blocks that the last one had reserved suffice. */
    private static void opensOrSaysThatItIsFull(LogConfig config) {
        try {
            MessageLog.open(config).close();
        } catch (LogException e) {
            require(e.isFull() && e.getMessage().contains("free space there"), e.toString());
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
