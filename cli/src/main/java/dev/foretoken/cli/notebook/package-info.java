/** Charts and tables in Jupyter notebooks of the Java kernel JJava, and the setup of that kernel. */
package dev.foretoken.cli.notebook;
