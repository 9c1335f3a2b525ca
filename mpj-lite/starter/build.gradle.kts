// A program that depends on mpj-lite, as pom.xml beside this file says it for Maven. Once, in the checkout of Posthouse:
//   mvn -q -DskipTests -pl mpj-lite -am install
// Then here: gradle jar, and posthouse run -n 4 build/libs/starter-1.jar
plugins {
    java
}

group = "org.example"
version = "1"

repositories {
    mavenLocal()
}

dependencies {
    // posthouse run brings its own.
    compileOnly("org.posthouse:mpj-lite:0.1.0")
}

tasks.compileJava {
    options.release = 17
}

tasks.jar {
    manifest {
        attributes("Main-Class" to "Greetings")
    }
}
