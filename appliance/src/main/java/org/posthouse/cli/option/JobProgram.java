package org.posthouse.cli.option;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.posthouse.causes.Causes;
import org.posthouse.examples.Examples;
import org.posthouse.launch.install.Installation;

/**
 * The program that a user named, checked before anything is started.
 *
 * @param classPath what it needs beside mpj-lite
 * @param mainClass its main class
 * @param jvmFlags what {@code java -jar} would do with a jar's manifest beyond that
 */
public record JobProgram(List<Path> classPath, String mainClass, List<String> jvmFlags) {
    private static final String JAR = ".jar";
    private static final String EXAMPLE = "example:";
    /** Stands for the jars of the folder before it, as for {@code java -cp}. */
    private static final String ALL_JARS = "*";

    /** Finds {@code name}, a class, a jar or example:NAME. @throws CommandFailure naming what is missing */
    public static JobProgram find(String name, String classPath) throws CommandFailure {
        List<Path> entries = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            if (entry.equals(ALL_JARS) || entry.endsWith(File.separator + ALL_JARS)) {
                entries.addAll(jars(entry));
            } else if (!entry.isEmpty() || !name.startsWith(EXAMPLE)) {
                entries.add(existing(Path.of(entry))); // An empty one is the working folder, as for java.
            }
        }
        Path jar = Path.of(name);
        if (name.toLowerCase(Locale.ROOT).endsWith(JAR) && Files.isRegularFile(jar)) {
            return ofJar(jar, classPath.isEmpty() ? List.of() : entries);
        }
        if (name.startsWith(EXAMPLE)) {
            entries.add(Installation.jarOf(Examples.class));
            return new JobProgram(entries, example(name.substring(EXAMPLE.length())), List.of());
        }
        requireClass(name, entries);
        return new JobProgram(entries, name.replace('/', '.'), List.of()); // java takes both, and a shell completes the one.
    }

    /** As {@code java -jar} runs it, and with what {@code -cp} names behind it. The JVM itself finds what the manifest's Class-Path names. */
    private static JobProgram ofJar(Path jar, List<Path> others) throws CommandFailure {
        try (JarFile file = new JarFile(jar.toFile())) {
            Attributes main = file.getManifest() == null ? new Attributes() : file.getManifest().getMainAttributes();
            String mainClass = main.getValue(Attributes.Name.MAIN_CLASS);
            if (mainClass == null) {
                throw new CommandFailure("no Main-Class in the manifest of " + jar + ": name the class, with -cp " + jar);
            }
            List<Path> entries = new ArrayList<>(List.of(jar.toAbsolutePath()));
            entries.addAll(others);
            requireClass(mainClass.strip(), entries);
            List<String> flags = new ArrayList<>();
            words(main, "Add-Exports").forEach(packageOfModule -> flags.add("--add-exports=" + packageOfModule + "=ALL-UNNAMED"));
            words(main, "Add-Opens").forEach(packageOfModule -> flags.add("--add-opens=" + packageOfModule + "=ALL-UNNAMED"));
            words(main, "Enable-Native-Access").forEach(module -> flags.add("--enable-native-access=" + module));
            return new JobProgram(entries, mainClass.strip(), flags);
        } catch (IOException e) {
            throw new CommandFailure("the jar " + jar + " cannot be read: " + Causes.text(e), e);
        }
    }

    private static Stream<String> words(Attributes main, String name) {
        return Stream.of(main.getValue(name) == null ? "" : main.getValue(name)).flatMap(text -> Stream.of(text.strip().split(" +")))
                .filter(word -> !word.isEmpty());
    }

    private static String example(String name) throws CommandFailure {
        return Examples.mainClass(name)
                .orElseThrow(() -> new CommandFailure("no example " + name + "; there are "
                        + Examples.all().stream().map(Examples.Example::name).collect(Collectors.joining(", "))));
    }

    private static Path existing(Path entry) throws CommandFailure {
        if (!Files.isReadable(entry)) {
            throw new CommandFailure("no file or folder " + entry + ", which -cp names");
        }
        return entry.toAbsolutePath();
    }

    /** In the order of their names, so that a rank that is started again has what its predecessor had. */
    private static List<Path> jars(String entry) throws CommandFailure {
        Path within = existing(Path.of(entry.substring(0, entry.length() - ALL_JARS.length())));
        try (Stream<Path> files = Files.list(within)) {
            List<Path> jars = files.filter(file -> file.toString().toLowerCase(Locale.ROOT).endsWith(".jar")).sorted().toList();
            if (jars.isEmpty()) {
                throw new CommandFailure("no jar in " + within + ", which -cp names as " + entry);
            }
            return jars;
        } catch (IOException e) {
            throw new CommandFailure("the class path cannot be searched: " + Causes.text(e), e);
        }
    }

    private static void requireClass(String name, List<Path> entries) throws CommandFailure {
        List<URL> urls = new ArrayList<>();
        try {
            for (Path entry : entries) {
                urls.add(entry.toUri().toURL());
            }
        } catch (MalformedURLException e) {
            throw new CommandFailure("the class path cannot be searched: " + Causes.text(e), e);
        }
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), null)) {
            if (loader.getResource(name.replace('.', '/') + ".class") == null) {
                throw new CommandFailure("no class " + name + " in "
                        + entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator))
                        + "; expected a class with its package, as org.example.Main, and in -cp the jar, or the folder that org is in");
            }
        } catch (IOException e) {
            throw new CommandFailure("the class path cannot be searched: " + Causes.text(e), e);
        }
    }
}
