package org.posthouse.launch.stage;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Stream;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/**
 * The files that a job takes to its nodes, each read once and named by its content. Class folders are packed into archives,
 * which exist until this is closed. Immutable.
 *
 * <p>What the manifest of a jar names as its class path follows the jar, as a JVM would look for it.
 */
public final class JobContent implements AutoCloseable {
    private static final ContentHasher HASHER = new ContentHasher();

    /**
     * A file.
     *
     * @param name under which it stands on nodes
     * @param source the file or class folder that the user named
     * @param file that has the content
     * @param id of the content
     * @param changed the file's time of change when it was read
     */
    public record StagedContent(String name, Path source, Path file, ContentId id, FileTime changed) {
        /** Whether the file is no longer what it was. */
        public boolean hasChanged() {
            try {
                return Files.size(file) != id.bytes() || !Files.getLastModifiedTime(file).equals(changed);
            } catch (IOException e) {
                return true;
            }
        }
    }

    private final Path archives;
    private final List<StagedContent> classPath = new ArrayList<>();
    private final List<StagedContent> files = new ArrayList<>();

    private JobContent(Path archives) {
        this.archives = archives;
    }

    /**
     * Reads files. Blocks on the disk.
     *
     * @param classPath jars and class folders, in order
     * @param files other files, which nodes have by their last name
     * @throws StageException in one line, if one is missing, cannot be read or changes meanwhile, or two have one name
     */
    public static JobContent of(List<Path> classPath, List<Path> files) throws StageException {
        JobContent content;
        try {
            content = new JobContent(Files.createTempDirectory("posthouse-class-path-"));
        } catch (IOException e) {
            throw StageException.of("no folder for archives of class folders can be made", e);
        }
        try {
            StagedNames names = new StagedNames(Long.MAX_VALUE);
            Set<Path> entries = new LinkedHashSet<>();
            for (Path entry : classPath) {
                addWithManifest(entry.toAbsolutePath().normalize(), entries);
            }
            for (Path entry : entries) {
                content.classPath.add(content.entry(entry, content.classPath.size()));
            }
            for (Path file : files) {
                StagedContent staged = read(file.getFileName().toString(), file, file);
                names.add(staged.name(), staged.id());
                content.files.add(staged);
            }
            return content;
        } catch (StageException e) {
            content.close();
            throw e;
        }
    }

    /** The name of each file on nodes with its content, for people and for comparison. */
    public List<String> names() {
        return Stream.concat(classPath.stream(), files.stream()).map(file -> file.name() + " (SHA-256 " + HexFormat.of().formatHex(file.id().digest()) + ")")
                .toList();
    }

    private static void addWithManifest(Path entry, Set<Path> entries) {
        if (!entries.add(entry) || !isJar(entry)) {
            return;
        }
        for (String name : manifestClassPath(entry)) {
            Path named = named(entry, name);
            if (named != null && Files.exists(named)) { // A JVM passes over the others.
                addWithManifest(named, entries);
            }
        }
    }

    /** The file that a manifest names; null if it names none. */
    private static Path named(Path jar, String name) {
        try {
            URI uri = jar.toUri().resolve(URI.create(name));
            return "file".equals(uri.getScheme()) ? Path.of(uri).normalize() : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static boolean isJar(Path entry) {
        return entry.toString().toLowerCase(Locale.ROOT).endsWith(".jar") && Files.isRegularFile(entry);
    }

    private static List<String> manifestClassPath(Path jar) {
        try (JarFile file = new JarFile(jar.toFile())) {
            Manifest manifest = file.getManifest();
            String names = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            return names == null ? List.of() : List.of(names.strip().split("\\s+"));
        } catch (IOException e) {
            return List.of(); // It is staged as it is, and a JVM says what is wrong with it.
        }
    }

    private StagedContent entry(Path entry, int number) throws StageException {
        String name = entry.getFileName() == null ? "root" : entry.getFileName().toString();
        if (!Files.isDirectory(entry)) {
            return read(number + "/" + name, entry, entry);
        }
        Path jar = archives.resolve(number + ".jar");
        ContentId id = ClassPathArchive.pack(entry, jar);
        return new StagedContent(JobPaths.checked(number + "/" + name + ".jar"), entry, jar, id, changed(jar));
    }

    private static StagedContent read(String name, Path source, Path file) throws StageException {
        if (!Files.exists(file)) {
            throw new StageException(source + " does not exist");
        }
        if (file.toString().contains(File.pathSeparator) && name.contains("/")) {
            throw new StageException(source + " has a " + File.pathSeparator + " in its name, which no class path can have");
        }
        FileTime changed = changed(file);
        return new StagedContent(JobPaths.checked(name), source, file, HASHER.idOf(file), changed);
    }

    private static FileTime changed(Path file) throws StageException {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            throw StageException.of(file + " cannot be read", e);
        }
    }

    /** The class path, in order. */
    public List<StagedContent> classPath() {
        return List.copyOf(classPath);
    }

    /** The other files. */
    public List<StagedContent> files() {
        return List.copyOf(files);
    }

    /** Each content once. */
    public Map<ContentId, StagedContent> contents() {
        Map<ContentId, StagedContent> contents = new LinkedHashMap<>();
        classPath.forEach(each -> contents.putIfAbsent(each.id(), each));
        files.forEach(each -> contents.putIfAbsent(each.id(), each));
        return contents;
    }

    /** Removes the archives. */
    @Override
    public void close() {
        FolderRemoval.remove(archives);
    }
}
