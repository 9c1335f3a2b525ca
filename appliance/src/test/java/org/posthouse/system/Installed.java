package org.posthouse.system;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.posthouse.cli.Posthouse;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.install.StartCache;
import org.posthouse.launch.job.JobFailure;

/**
 * What system tests start, as the launcher script does: the jar that the build made and its dependencies, with start caches, made
 * before the first system test after a build. Where there is no such jar, or it is older than the classes (in an IDE), it is this JVM's class
 * path, without caches.
 */
final class Installed {
    private static final Path CLASSES = Installation.jarOf(Posthouse.class);
    private static final Path CACHES = CLASSES.resolveSibling("tested");
    private static final Path JAR = CACHES.resolve("posthouse-tested.jar");
    private static final List<Path> CLASS_PATH = classPath();

    /** Nobody's time runs, and the machine may have much else to do. */
    private static final long REHEARSAL_SECONDS_MAX = 900;

    private static boolean prepared;

    private Installed() {}

    /** Flags of a JVM that is to start this command: the caches and the class path. */
    static List<String> flags(String command) {
        prepare();
        List<String> flags = new ArrayList<>();
        if (isJars()) {
            flags.add("-D" + StartCache.FOLDER + "=" + CACHES);
            flags.addAll(StartCache.flags(CACHES.resolve(command.equals("relay") ? StartCache.RELAY_FILE : StartCache.COMMAND_FILE)));
        }
        flags.addAll(List.of("-cp", String.join(File.pathSeparator, CLASS_PATH.stream().map(Path::toString).toList())));
        return flags;
    }

    private static boolean isJars() {
        return CLASS_PATH.contains(JAR) && CLASS_PATH.stream().allMatch(Files::isRegularFile);
    }

    private static List<Path> classPath() {
        List<Path> all = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of).toList();
        if (!Files.isRegularFile(JAR) || isOlderThanClasses(JAR)) {
            return all;
        }
        List<Path> installed = new ArrayList<>(List.of(JAR));
        all.stream().filter(entry -> !entry.startsWith(CLASSES.getParent())).forEach(installed::add);
        return installed;
    }

    /** By what is in them: a build does not touch a jar that it would make the same again. */
    private static boolean isOlderThanClasses(Path path) {
        try (ZipFile jar = new ZipFile(path.toFile());
                Stream<Path> classes = Files.walk(CLASSES)) {
            FileTime made = Files.getLastModifiedTime(path);
            return classes.filter(Files::isRegularFile).anyMatch(file -> modified(file).compareTo(made) > 0 && !isIn(jar, file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isIn(ZipFile jar, Path file) {
        ZipEntry entry = jar.getEntry(CLASSES.relativize(file).toString());
        if (entry == null) {
            return false;
        }
        try (InputStream packed = jar.getInputStream(entry)) {
            return Arrays.equals(packed.readAllBytes(), Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FileTime modified(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder of the caches. */
    static Path caches() {
        return CACHES;
    }

    /** Makes the caches if there are none, or a jar is newer; several test JVMs may ask at once. Where they cannot be made, all starts without them. */
    static synchronized void prepare() {
        if (prepared || !isJars()) {
            return;
        }
        prepared = true;
        try (FileChannel channel = FileChannel.open(
                CACHES.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock alone = channel.lock()) {
            assert alone.isValid();
            Path command = CACHES.resolve(StartCache.COMMAND_FILE);
            if (!Files.exists(command) || newest(CLASS_PATH).compareTo(modified(command)) > 0) {
                StartCache.make(CACHES, CLASS_PATH, List.of(Posthouse.class.getName(), "rehearse"), REHEARSAL_SECONDS_MAX);
            }
        } catch (IOException | JobFailure e) {
            System.err.println("no start caches: " + e.getMessage());
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    private static FileTime newest(Collection<Path> files) {
        return files.stream().map(Installed::modified).max(FileTime::compareTo).orElseThrow();
    }
}
